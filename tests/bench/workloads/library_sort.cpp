// W12: the prelude's sort of integers (rank and permute) beside radix sorts.
#include <algorithm>
#include <execution>
#include <utility>

#include "tests/bench/suite/ints.h"

namespace nvm::bench {

namespace {

using Key = std::int32_t;

struct Data {
  Array<Key> input, want, hand, spare, library, standard;
};

// One stable pass by `bits` bits from `shift`: a count for each thread and digit, then places.
void radix_pass(const Key* from, Key* to, std::int64_t n, int shift, int bits, int threads) {
  const std::size_t digits = std::size_t{1} << bits;
  const auto digit = [=](Key x) { return (static_cast<std::uint32_t>(x) >> shift) & (digits - 1); };
  std::vector<std::vector<std::int64_t>> places(static_cast<std::size_t>(threads),
                                                std::vector<std::int64_t>(digits));
  parts(threads, n, [&](std::int64_t lo, std::int64_t hi, int t) {
    std::int64_t* count = places[static_cast<std::size_t>(t)].data();
    for (std::int64_t i = lo; i < hi; ++i) ++count[digit(from[i])];
  });
  std::int64_t at = 0;
  for (std::size_t d = 0; d < digits; ++d)
    for (auto& of_thread : places) at += std::exchange(of_thread[d], at);
  parts(threads, n, [&](std::int64_t lo, std::int64_t hi, int t) {
    std::int64_t* place = places[static_cast<std::size_t>(t)].data();
    for (std::int64_t i = lo; i < hi; ++i) to[place[digit(from[i])]++] = from[i];
  });
}

// The library's integer sort: the top bits first, then each bucket by itself, low bits first.
void bucket_sort(Key* v, Key* spare, std::int64_t n, int threads) {
  constexpr int kBits = 8, kShift = 22;  // keys are below 2^30
  radix_pass(v, spare, n, kShift, kBits, threads);
  std::int64_t start[(1 << kBits) + 1] = {};
  for (std::int64_t b = 0; b <= 1 << kBits; ++b)
    start[b] = std::lower_bound(spare, spare + n, b,
                                [](Key x, std::int64_t bucket) { return (x >> kShift) < bucket; }) -
               spare;
  blocks(threads, 1 << kBits, 1, [&](std::int64_t b, std::int64_t) {
    const std::int64_t lo = start[b], size = start[b + 1] - lo;
    radix_pass(spare + lo, v + lo, size, 0, 11, 1);
    radix_pass(v + lo, spare + lo, size, 11, 11, 1);
    std::copy(spare + lo, spare + lo + size, v + lo);
  });
}

}  // namespace

Instance library_sort(const Problem& p) {
  const auto d = std::make_shared<Data>(Data{ints(p, 1, 0, 1'000'000'000), Array<Key>(p.n), Array<Key>(p.n),
                                             Array<Key>(p.n), Array<Key>(p.n), Array<Key>(p.n)});
  std::copy(d->input.begin(), d->input.end(), d->want.begin());
  std::sort(d->want.begin(), d->want.end());
  Instance it;
  it.inputs = {sequence("v", d->input)};
  it.expression = "sort(v)";
  it.check = [d](Values v) { return equal(v[1], d->want.all()); };
  const auto hand = [d, p] {
    radix_pass(d->input.data(), d->hand.data(), p.n, 0, 10, p.threads);
    radix_pass(d->hand.data(), d->spare.data(), p.n, 10, 10, p.threads);
    radix_pass(d->spare.data(), d->hand.data(), p.n, 20, 10, p.threads);
  };
  it.rivals.push_back({"hand", "three passes of ten bits, low bits first", hand,
                       [d] { return same(d->hand.all(), d->want.all()); }});
  it.rivals.push_back({"library", "radix sort: top bits, then buckets one by one",
                       [d, p] { bucket_sort(d->library.data(), d->spare.data(), p.n, p.threads); },
                       [d] { return same(d->library.all(), d->want.all()); },
                       [d] { std::copy(d->input.begin(), d->input.end(), d->library.begin()); }});
  it.rivals.push_back({"std", "std::sort(par_unseq)",
                       [d, p] {
                         in_arena(p.threads, [&] {
                           std::sort(std::execution::par_unseq, d->standard.begin(), d->standard.end());
                         });
                       },
                       [d] { return same(d->standard.all(), d->want.all()); },
                       [d] { std::copy(d->input.begin(), d->input.end(), d->standard.begin()); }});
  return it;
}

}  // namespace nvm::bench
