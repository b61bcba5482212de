// W4: Batcher's bitonic sort of a power of two of keys: log n (log n + 1) / 2 passes of compare and exchange.
#include <oneapi/tbb/parallel_invoke.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <execution>

#include "tests/bench/suite/ints.h"

namespace nvm::bench {

namespace {

using Key = std::int32_t;

struct Data {
  Array<Key> input, want, hand, library, spare, standard;
};

constexpr std::int64_t kBlock = 1 << 14;  // keys of a block that stays in the cache

// Orders m pairs, ascending or descending.
template <bool kUp>
[[gnu::always_inline]] inline void exchange(Key* __restrict low, Key* __restrict high, std::int64_t m) {
#pragma omp simd
  for (std::int64_t i = 0; i < m; ++i) {
    const Key a = low[i], b = high[i];
    low[i] = (a < b) == kUp ? a : b;
    high[i] = (a < b) == kUp ? b : a;
  }
}
[[gnu::always_inline]] inline void exchange(Key* low, Key* high, std::int64_t m, bool up) {
  up ? exchange<true>(low, high, m) : exchange<false>(low, high, m);
}

using Lanes [[gnu::vector_size(64)]] = Key;
constexpr std::int64_t kLanes = 16;
constexpr Lanes kLane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// The passes of distances `distance`, ... 1, all within a register, over n keys that begin at `base`.
void finish_lanes(Key* block, std::int64_t n, std::int64_t base, std::int64_t run, std::int64_t distance) {
  for (std::int64_t i = 0; i < n; i += kLanes) {
    Lanes x;
    std::memcpy(&x, block + i, sizeof x);
    const Lanes down = ((kLane + static_cast<Key>(base + i)) & static_cast<Key>(run)) != 0;
    for (auto d = static_cast<Key>(distance); d > 0; d /= 2) {
      const Lanes other = __builtin_shuffle(x, kLane ^ d);
      const Lanes most = ((kLane & d) != 0) ^ down;
      x = most != 0 ? (x < other ? other : x) : (x < other ? x : other);
    }
    std::memcpy(block + i, &x, sizeof x);
  }
}

// The passes of distances `distance`, `distance` / 2, ... 1 over a block that begins at `base`; the last
// ones, if wanted, in registers.
template <bool kInRegisters>
void finish_block(Key* block, std::int64_t n, std::int64_t base, std::int64_t run, std::int64_t distance) {
  for (; distance > 0 && (!kInRegisters || distance >= kLanes || n < kLanes); distance /= 2)
    for (std::int64_t i = 0; i < n; i += 2 * distance)
      exchange(block + i, block + i + distance, distance, ((base + i) & run) == 0);
  if (distance > 0) finish_lanes(block, n, base, run, distance);
}

template <bool kInRegisters>
void bitonic_network(Key* v, std::int64_t n, int threads) {
  const std::int64_t block = std::min(n, kBlock);
  blocks(threads, n, block, [&](std::int64_t lo, std::int64_t hi) {
    for (std::int64_t run = 2; run <= block; run *= 2)
      finish_block<kInRegisters>(v + lo, hi - lo, lo, run, run / 2);
  });
  for (std::int64_t run = 2 * block; run <= n; run *= 2) {
    for (std::int64_t distance = run / 2; distance >= block; distance /= 2)
      blocks(threads, n / 2, block / 2, [&](std::int64_t lo, std::int64_t hi) {
        const std::int64_t i = lo / distance * 2 * distance + lo % distance;
        exchange(v + i, v + i + distance, hi - lo, (i & run) == 0);
      });
    blocks(threads, n, block, [&](std::int64_t lo, std::int64_t hi) {
      finish_block<kInRegisters>(v + lo, hi - lo, lo, run, block / 2);
    });
  }
}

// The library's merge sort: halves in parallel, merges cut in two at the median of the longer half.
class MergeSort {
 public:
  static void sort(Key* v, Key* spare, std::int64_t n, bool into_spare) {
    if (n <= kBlock / 4) {
      std::stable_sort(v, v + n);
      if (into_spare) std::copy(v, v + n, spare);
      return;
    }
    const std::int64_t half = n / 2;
    tbb::parallel_invoke([&] { sort(v, spare, half, !into_spare); },
                         [&] { sort(v + half, spare + half, n - half, !into_spare); });
    const Key* from = into_spare ? v : spare;
    merge(from, from + half, from + half, from + n, into_spare ? spare : v);
  }

 private:
  static void merge(const Key* a, const Key* a_end, const Key* b, const Key* b_end, Key* out) {
    if (a_end - a + (b_end - b) <= kBlock) {
      std::merge(a, a_end, b, b_end, out);
      return;
    }
    const bool first_longer = a_end - a >= b_end - b;
    const Key* a_cut = first_longer ? a + (a_end - a) / 2 : nullptr;
    const Key* b_cut = first_longer ? std::lower_bound(b, b_end, *a_cut) : b + (b_end - b) / 2;
    if (!first_longer) a_cut = std::upper_bound(a, a_end, *b_cut);
    tbb::parallel_invoke([&] { merge(a, a_cut, b, b_cut, out); },
                         [&] { merge(a_cut, a_end, b_cut, b_end, out + (a_cut - a) + (b_cut - b)); });
  }
};

}  // namespace

Instance bitonic_sort(const Problem& asked) {
  Problem p = asked;
  p.n = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(asked.n)));
  const auto d = std::make_shared<Data>(Data{ints(p, 1, 0, 1'000'000'000), Array<Key>(p.n), Array<Key>(p.n),
                                             Array<Key>(p.n), Array<Key>(p.n), Array<Key>(p.n)});
  const auto fresh = [d](const Array<Key>& to) {
    return [d, &to] { std::copy(d->input.begin(), d->input.end(), to.begin()); };
  };
  const auto sorted = [d](const Array<Key>& v) { return [d, &v] { return same(v.all(), d->want.all()); }; };
  std::copy(d->input.begin(), d->input.end(), d->want.begin());
  std::sort(d->want.begin(), d->want.end());
  Instance it;
  it.n = p.n;
  it.inputs = {sequence("v", d->input)};
  it.expression = "bitonic_sort(v)";
  it.check = [d](Values v) { return equal(v[1], d->want.all()); };
  it.rivals.push_back({"hand", "bitonic network in blocks of the cache, vectorised",
                       [d, p] { bitonic_network<false>(d->hand.data(), p.n, p.threads); }, sorted(d->hand),
                       fresh(d->hand)});
  it.rivals.push_back({"in registers", "the same, the last four passes of each run within registers",
                       [d, p] { bitonic_network<true>(d->hand.data(), p.n, p.threads); }, sorted(d->hand),
                       fresh(d->hand)});
  it.rivals.push_back({"library", "parallel merge sort",
                       [d, p] {
                         in_arena(p.threads,
                                  [&] { MergeSort::sort(d->library.data(), d->spare.data(), p.n, false); });
                       },
                       sorted(d->library), fresh(d->library)});
  it.rivals.push_back({"std", "std::sort(par_unseq)",
                       [d, p] {
                         in_arena(p.threads, [&] {
                           std::sort(std::execution::par_unseq, d->standard.begin(), d->standard.end());
                         });
                       },
                       sorted(d->standard), fresh(d->standard)});
  return it;
}

}  // namespace nvm::bench
