// W3, W3b by hand. A partition goes from one array to the other; the leaves end in the one that is wanted.
#include "tests/bench/workloads/vector_quicksort.h"

#include <immintrin.h>
#include <oneapi/tbb/parallel_invoke.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/bench/suite/parallel.h"

namespace nvm::bench {

namespace {

using Key = std::int32_t;

constexpr std::int64_t kLeaf = 32;           // keys in two registers
constexpr std::int64_t kShared = 1 << 18;    // from here on all threads make one partition
constexpr std::int64_t kParallel = 1 << 14;  // from here on both sides are tasks
constexpr std::int64_t kBlock = 1 << 15;

struct Counts {
  std::int64_t less = 0, more = 0;
};

Counts count(const Key* v, std::int64_t n, Key pivot) {
  std::int64_t less = 0, more = 0;
#pragma omp simd reduction(+ : less, more)
  for (std::int64_t i = 0; i < n; ++i) less += v[i]<pivot, more += v[i]> pivot;
  return {less, more};
}

// Writes what is less upwards from `less`, what is more upwards from `more`.
void pack(const Key* v, std::int64_t n, Key pivot, Key* less, Key* more) {
  std::int64_t i = 0;
#ifdef __AVX512F__
  const __m512i middle = _mm512_set1_epi32(pivot);
  const auto put = [](Key*& to, __mmask16 some, __m512i keys) {
    const unsigned kept = static_cast<unsigned>(__builtin_popcount(some));
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1U << kept) - 1),
                             _mm512_maskz_compress_epi32(some, keys));
    to += kept;
  };
  for (; i + 16 <= n; i += 16) {
    const __m512i keys = _mm512_loadu_si512(v + i);
    put(less, _mm512_cmplt_epi32_mask(keys, middle), keys);
    put(more, _mm512_cmpgt_epi32_mask(keys, middle), keys);
  }
#endif
  for (; i < n; ++i) {
    if (v[i] < pivot) *less++ = v[i];
    if (v[i] > pivot) *more++ = v[i];
  }
}

// Each key goes where the number of keys before it says: all are compared with all.
void sort_leaf(const Key* from, Key* to, std::int64_t n) {
#ifdef __AVX512F__
  const std::uint32_t all = n == kLeaf ? ~0U : (1U << n) - 1;
  const __m512i most = _mm512_set1_epi32(std::numeric_limits<Key>::max());
  const __m512i low = _mm512_mask_loadu_epi32(most, static_cast<__mmask16>(all), from);
  const __m512i high = _mm512_mask_loadu_epi32(most, static_cast<__mmask16>(all >> 16), from + 16);
  Key keys[kLeaf];
  std::copy_n(from, n, keys);
  for (std::int64_t i = 0; i < n; ++i) {
    const __m512i key = _mm512_set1_epi32(keys[i]);
    const std::uint32_t less = _mm512_cmplt_epi32_mask(low, key) |
                               static_cast<std::uint32_t>(_mm512_cmplt_epi32_mask(high, key)) << 16;
    const std::uint32_t same = _mm512_cmpeq_epi32_mask(low, key) |
                               static_cast<std::uint32_t>(_mm512_cmpeq_epi32_mask(high, key)) << 16;
    to[__builtin_popcount(less) + __builtin_popcount(same & ((1U << i) - 1))] = keys[i];
  }
#else
  if (from != to) std::copy_n(from, n, to);
  std::sort(to, to + n);
#endif
}

Key pivot_of(const Key* v, std::int64_t n) {
  Key nine[9];
  for (std::int64_t i = 0; i < 9; ++i) nine[i] = v[(n - 1) * i / 8];
  std::nth_element(nine, nine + 4, nine + 9);
  return nine[4];
}

// Less, then room for the equal ones, then more; answers how many are less and more.
Counts partition(const Key* from, Key* to, std::int64_t n, Key pivot) {
  if (n < kShared) {
    const Counts of = count(from, n, pivot);
    pack(from, n, pivot, to, to + n - of.more);
    return of;
  }
  const std::int64_t blocks = (n + kBlock - 1) / kBlock;
  std::vector<Counts> before(static_cast<std::size_t>(blocks));
  const auto each_block = [&](auto f) {
    tbb::parallel_for(std::int64_t{0}, blocks, [&](std::int64_t b) {
      f(before[static_cast<std::size_t>(b)], from + b * kBlock, std::min(kBlock, n - b * kBlock));
    });
  };
  each_block([&](Counts& c, const Key* v, std::int64_t m) { c = count(v, m, pivot); });
  Counts all;
  for (Counts& c : before) {
    const Counts here = c;
    c = all;
    all.less += here.less, all.more += here.more;
  }
  each_block([&](const Counts& c, const Key* v, std::int64_t m) {
    pack(v, m, pivot, to + c.less, to + n - all.more + c.more);
  });
  return all;
}

// Sorts `from` into itself or, if not `in_from`, into `to`.
void sort(Key* from, Key* to, std::int64_t n, bool in_from) {
  if (n <= kLeaf) return sort_leaf(from, in_from ? from : to, n);
  const Key pivot = pivot_of(from, n);
  const auto [less, more] = partition(from, to, n, pivot);
  const std::int64_t above = n - more;
  std::fill((in_from ? from : to) + less, (in_from ? from : to) + above, pivot);
  const auto lower = [&, l = less] { sort(to, from, l, !in_from); };
  const auto upper = [&, m = more] { sort(to + above, from + above, m, !in_from); };
  if (n >= kParallel) {
    tbb::parallel_invoke(lower, upper);
  } else {
    lower();
    upper();
  }
}

}  // namespace

void vector_quicksort(std::int32_t* v, std::int32_t* spare, std::int64_t n, int threads) {
  in_arena(threads, [&] { sort(v, spare, n, true); });
}

}  // namespace nvm::bench
