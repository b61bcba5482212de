// W3, W3b: quicksort of integers. Many levels of recursion over ever more segments.
#include <oneapi/tbb/parallel_invoke.h>

#include <algorithm>
#include <execution>
#include <utility>

#include "tests/bench/suite/ints.h"
#include "tests/bench/workloads/vector_quicksort.h"

namespace nvm::bench {

namespace {

using Key = std::int32_t;

struct Data {
  Array<Key> input, want, hand, library, spare, standard;
};

constexpr std::int64_t kSerial = 1 << 14;  // below, one thread sorts with the standard library

// The library's quicksort: three-way partition by packing into the spare array, both sides in parallel; where
// it is deep or short, std::sort.
class PackQuicksort {
 public:
  PackQuicksort(Key* data, Key* spare, int threads) : data_(data), spare_(spare), threads_(threads) {}
  void sort(std::int64_t n) {
    in_arena(threads_, [&] { sort(0, n, false); });
  }

 private:
  // Sorts [lo, hi), which lies in the spare array if `in_spare`; the result lies in the data array.
  void sort(std::int64_t lo, std::int64_t hi, bool in_spare) {
    Key *from = in_spare ? spare_ : data_, *to = in_spare ? data_ : spare_;
    if (hi - lo <= kSerial) {
      std::sort(from + lo, from + hi);
      if (in_spare) std::copy(from + lo, from + hi, to + lo);
      return;
    }
    const Key pivot = median_of_nine(from, lo, hi);
    const auto [less, more] = partition(from, to, lo, hi, pivot);
    if (!in_spare) std::copy(to + less, to + more, from + less);  // the equal ones are in place
    tbb::parallel_invoke([&] { sort(lo, less, !in_spare); }, [&] { sort(more, hi, !in_spare); });
  }

  static Key median_of_nine(const Key* v, std::int64_t lo, std::int64_t hi) {
    Key nine[9];
    for (int i = 0; i < 9; ++i) nine[i] = v[lo + (hi - lo - 1) * i / 8];
    std::nth_element(nine, nine + 4, nine + 9);
    return nine[4];
  }

  // Packs what is less, equal and more into `to`; answers where the equal ones begin and end.
  std::pair<std::int64_t, std::int64_t> partition(const Key* from, Key* to, std::int64_t lo, std::int64_t hi,
                                                  Key pivot) const {
    constexpr std::int64_t kBlock = 1 << 14;
    const std::int64_t n = hi - lo, count = (n + kBlock - 1) / kBlock;
    std::vector<std::int64_t> less(static_cast<std::size_t>(count)), same(less), more(less);
    const auto each_block = [&](auto f) {
      tbb::parallel_for(std::int64_t{0}, count, [&](std::int64_t b) {
        f(static_cast<std::size_t>(b), lo + b * kBlock, std::min(hi, lo + (b + 1) * kBlock));
      });
    };
    each_block([&](std::size_t b, std::int64_t begin, std::int64_t end) {
      std::int64_t l = 0, s = 0;
      for (std::int64_t i = begin; i < end; ++i) l += from[i] < pivot, s += from[i] == pivot;
      less[b] = l, same[b] = s, more[b] = end - begin - l - s;
    });
    std::int64_t at = lo;
    const auto places = [&at](std::vector<std::int64_t>& counts) {
      for (std::int64_t& c : counts) at += std::exchange(c, at);
      return at;
    };
    const std::int64_t begin_same = places(less), end_same = places(same);
    places(more);
    each_block([&](std::size_t b, std::int64_t begin, std::int64_t end) {
      Key *l = to + less[b], *s = to + same[b], *m = to + more[b];
      for (std::int64_t i = begin; i < end; ++i) {
        const Key x = from[i];
        Key*& place = x < pivot ? l : x == pivot ? s : m;
        *place++ = x;
      }
    });
    return {begin_same, end_same};
  }

  Key *data_, *spare_;
  int threads_;
};

Instance quicksort_of(const Problem& p, std::int64_t bound) {
  const auto d = std::make_shared<Data>(Data{ints(p, 1, 0, bound), Array<Key>(p.n), Array<Key>(p.n),
                                             Array<Key>(p.n), Array<Key>(p.n), Array<Key>(p.n)});
  std::copy(d->input.begin(), d->input.end(), d->want.begin());
  std::sort(d->want.begin(), d->want.end());
  Instance it;
  it.inputs = {sequence("v", d->input)};
  it.expression = "quicksort(v)";
  it.check = [d](Values v) { return equal(v[1], d->want.all()); };
  it.rivals.push_back({"hand", "parallel quicksort, partitions and leaves of 32 keys vectorised",
                       [d, p] { vector_quicksort(d->hand.data(), d->spare.data(), p.n, p.threads); },
                       [d] { return same(d->hand.all(), d->want.all()); },
                       [d] { std::copy(d->input.begin(), d->input.end(), d->hand.begin()); }});
  it.rivals.push_back({"library", "parallel quicksort by packing, std::sort below 16384",
                       [d, p] { PackQuicksort(d->library.data(), d->spare.data(), p.threads).sort(p.n); },
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

}  // namespace

Instance quicksort_wide(const Problem& p) { return quicksort_of(p, 1'000'000'000); }
Instance quicksort_narrow(const Problem& p) { return quicksort_of(p, 100); }

}  // namespace nvm::bench
