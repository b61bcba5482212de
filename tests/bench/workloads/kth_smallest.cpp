// W11: the median of integers by selection.
#include <immintrin.h>

#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>

#include "tests/bench/suite/ints.h"

namespace nvm::bench {

namespace {

using Key = std::int32_t;
using Keys = std::vector<Key>;

struct Data {
  Array<Key> input, standard_copy;
  Key want = 0, hand = 0, library = 0, standard = 0;
};

// How many are below `low`; those from low to high are put behind `out`, which has room for all.
std::int64_t filter(const Key* v, std::int64_t n, Key low, Key high, Key*& out) {
  std::int64_t below = 0, i = 0;
#ifdef __AVX512F__
  const __m512i lows = _mm512_set1_epi32(low), highs = _mm512_set1_epi32(high);
  for (; i + 16 <= n; i += 16) {
    const __m512i x = _mm512_loadu_si512(v + i);
    const __mmask16 less = _mm512_cmplt_epi32_mask(x, lows);
    const auto inside = static_cast<__mmask16>(_mm512_cmple_epi32_mask(x, highs) & ~less);
    below += __builtin_popcount(less);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(inside, x));
    out += __builtin_popcount(inside);
  }
#endif
  for (; i < n; ++i) {
    below += v[i] < low;
    *out = v[i];
    out += v[i] >= low && v[i] <= high;
  }
  return below;
}

// Two elements of a sample enclose the k-th almost surely; what lies between them is few.
Key select_by_sample(const Array<Key>& v, std::int64_t k, int threads) {
  constexpr std::int64_t kSample = 20001, kMargin = 400;
  Keys sample(kSample);
  const Draw draw(7, 7);
  for (std::int64_t i = 0; i < kSample; ++i) sample[static_cast<std::size_t>(i)] = v[draw.below(i, v.size())];
  std::sort(sample.begin(), sample.end());
  const std::int64_t middle = kSample * k / v.size();
  const auto near_middle = [&](std::int64_t i) {
    return sample[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, kSample - 1))];
  };
  const Key low = near_middle(middle - kMargin), high = near_middle(middle + kMargin);
  std::vector<Keys> kept(static_cast<std::size_t>(threads));
  std::vector<std::int64_t> below(static_cast<std::size_t>(threads));
  parts(threads, v.size(), [&](std::int64_t lo, std::int64_t hi, int t) {
    Keys& mine = kept[static_cast<std::size_t>(t)];
    mine.resize(static_cast<std::size_t>((hi - lo) / 8 + 4096));
    Key* out = mine.data();
    for (std::int64_t i = lo; i < hi; i += 1024) {
      const std::int64_t length = std::min<std::int64_t>(1024, hi - i);
      if (out + length + 16 > mine.data() + mine.size()) {  // an unlucky sample
        const std::int64_t used = out - mine.data();
        mine.resize(2 * mine.size());
        out = mine.data() + used;
      }
      below[static_cast<std::size_t>(t)] += filter(v.data() + i, length, low, high, out);
    }
    mine.resize(static_cast<std::size_t>(out - mine.data()));
  });
  Keys between;
  for (const Keys& mine : kept) between.insert(between.end(), mine.begin(), mine.end());
  const std::int64_t rank = std::accumulate(below.begin(), below.end(), k, std::minus<>());
  if (rank < 0 || rank >= static_cast<std::int64_t>(between.size())) {  // a very unlucky sample
    between.assign(v.begin(), v.end());
    std::nth_element(between.begin(), between.begin() + k, between.end());
    return between[static_cast<std::size_t>(k)];
  }
  std::nth_element(between.begin(), between.begin() + rank, between.end());
  return between[static_cast<std::size_t>(rank)];
}

// The library's: a pivot from a sample, a parallel filter of one side, again.
Key select_by_filter(Keys v, std::int64_t k, int threads) {
  for (std::int64_t round = 0; v.size() > 1 << 12; ++round) {
    const Draw draw(11, static_cast<std::uint64_t>(round));
    Key nine[9];
    for (std::int64_t i = 0; i < 9; ++i)
      nine[i] = v[static_cast<std::size_t>(draw.below(i, static_cast<std::int64_t>(v.size())))];
    std::sort(nine, nine + 9);
    const Key pivot = nine[4];
    const auto n = static_cast<std::int64_t>(v.size());
    std::vector<Keys> less(static_cast<std::size_t>(threads)), more(less);
    parts(threads, n, [&](std::int64_t lo, std::int64_t hi, int t) {
      Keys &l = less[static_cast<std::size_t>(t)], &m = more[static_cast<std::size_t>(t)];
      for (std::int64_t i = lo; i < hi; ++i) {
        const Key x = v[static_cast<std::size_t>(i)];
        if (x < pivot) l.push_back(x);
        if (x > pivot) m.push_back(x);
      }
    });
    const auto total = [](const std::vector<Keys>& lists) {
      std::int64_t sum = 0;
      for (const Keys& list : lists) sum += static_cast<std::int64_t>(list.size());
      return sum;
    };
    const std::int64_t below = total(less), upto = n - total(more);
    if (k >= below && k < upto) return pivot;
    v.clear();
    for (const Keys& list : k < below ? less : more) v.insert(v.end(), list.begin(), list.end());
    if (k >= upto) k -= upto;
  }
  std::nth_element(v.begin(), v.begin() + k, v.end());
  return v[static_cast<std::size_t>(k)];
}

}  // namespace

Instance kth_smallest(const Problem& p) {
  const auto d = std::make_shared<Data>(Data{ints(p, 1, 0, 1'000'000'000), Array<Key>(p.n)});
  Keys sorted(d->input.begin(), d->input.end());
  std::nth_element(sorted.begin(), sorted.begin() + p.n / 2, sorted.end());
  d->want = sorted[static_cast<std::size_t>(p.n / 2)];
  Instance it;
  it.inputs = {sequence("v", d->input)};
  it.expression = "select_kth(v, #v / 2)";
  it.check = [d](Values v) { return equal(first_int(v[0]), d->want); };
  it.rivals.push_back({"hand", "bounds from a sample, one counting and filtering pass",
                       [d, p] { d->hand = select_by_sample(d->input, p.n / 2, p.threads); },
                       [d] { return equal(d->hand, d->want); }});
  it.rivals.push_back(
      {"library", "parallel quickselect by filters",
       [d, p] { d->library = select_by_filter(Keys(d->input.begin(), d->input.end()), p.n / 2, p.threads); },
       [d] { return equal(d->library, d->want); }});
  it.rivals.push_back({"std", "std::nth_element(par_unseq)",
                       [d, p] {
                         in_arena(p.threads, [&] {
                           std::nth_element(std::execution::par_unseq, d->standard_copy.begin(),
                                            d->standard_copy.begin() + p.n / 2, d->standard_copy.end());
                         });
                         d->standard = d->standard_copy[p.n / 2];
                       },
                       [d] { return equal(d->standard, d->want); },
                       [d] { std::copy(d->input.begin(), d->input.end(), d->standard_copy.begin()); }});
  return it;
}

}  // namespace nvm::bench
