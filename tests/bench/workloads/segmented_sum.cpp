// W16: sums of rows: few long ones, a million short ones, and lengths by a power law.
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/bench/suite/ints.h"
#include "tests/bench/suite/standard.h"

namespace nvm::bench {

namespace {

using Lengths = std::vector<std::int64_t>;

struct Data {
  Array<std::int64_t> start;
  Array<double> x, want, hand, library, standard;
};

double row_sum(const double* x, std::int64_t n) {
#ifdef __AVX512F__
  if (n <= 24) {
    const unsigned some = _bzhi_u32(~0U, static_cast<unsigned>(n));
    const __m512d a = _mm512_maskz_loadu_pd(static_cast<__mmask8>(some), x);
    const __m512d b = _mm512_maskz_loadu_pd(static_cast<__mmask8>(some >> 8), x + 8);
    const __m512d c = _mm512_maskz_loadu_pd(static_cast<__mmask8>(some >> 16), x + 16);
    return _mm512_reduce_add_pd(a + b + c);
  }
#endif
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

// Each thread takes an equal part of the elements; of a row that it shares, its first one, it leaves the sum
// aside.
void balanced_sums(const Data& d, double* out, int threads) {
  const std::int64_t rows = d.start.size() - 1, n = d.start[rows];
  struct Shared {
    std::int64_t row = -1;
    double sum = 0;
  };
  std::vector<Shared> shared(static_cast<std::size_t>(threads));
  each_thread(threads, [&](int t) {
    const std::int64_t begin = n * t / threads, end = n * (t + 1) / threads;
    const std::int64_t* start = d.start.data();
    std::int64_t row = t == 0 ? 0 : std::upper_bound(start, start + rows + 1, begin) - start - 1;
    if (start[row] < begin) {
      const std::int64_t stop = std::min(start[row + 1], end);
      shared[static_cast<std::size_t>(t)] = {row, row_sum(d.x.data() + begin, stop - begin)};
      ++row;
    } else {
      while (row > 0 && t > 0 && start[row - 1] == begin) --row;  // empty rows before
    }
    for (; row < rows && (start[row] < end || t + 1 == threads); ++row)
      out[row] = row_sum(d.x.data() + start[row], std::min(start[row + 1], end) - start[row]);
  });
  for (const Shared& s : shared)
    if (s.row >= 0) out[s.row] += s.sum;
}

Instance segmented_sum(const Problem& p, const Lengths& lengths) {
  const auto rows = static_cast<std::int64_t>(lengths.size());
  const auto d = std::make_shared<Data>();
  d->start = Array<std::int64_t>(rows + 1);
  for (std::int64_t i = 0; i < rows; ++i)
    d->start[i + 1] = d->start[i] + lengths[static_cast<std::size_t>(i)];
  Problem elements = p;
  elements.n = d->start[rows];
  d->x = uniform(elements, 1);
  d->want = Array<double>(rows);
  d->hand = Array<double>(rows);
  d->library = Array<double>(rows);
  d->standard = Array<double>(rows);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = d->start[i]; j < d->start[i + 1]; ++j) d->want[i] += d->x[j];
  Instance it;
  it.inputs = {{"rows", "[[float]]", {sequence_of(rows), *lib::make_segdes(lengths), borrowed(d->x)}}};
  it.expression = "row_sums(rows)";
  it.check = [d](Values v) { return near(v[1], d->want.all(), 1e-10); };
  it.rivals.push_back({"hand", "rows balanced by elements, short ones in masked vectors",
                       [d, p] { balanced_sums(*d, d->hand.data(), p.threads); },
                       [d] { return near(d->hand.all(), d->want.all(), 1e-10); }});
  it.rivals.push_back({"library", "a parallel loop over rows, a reduction in each",
                       [d, p, rows] {
                         const std::int64_t block = rows < 1000 ? 1 : 1 << 10;
                         blocks(p.threads, rows, block, [&](std::int64_t lo, std::int64_t hi) {
                           for (std::int64_t i = lo; i < hi; ++i) {
                             double sum = 0;
                             for (std::int64_t j = d->start[i]; j < d->start[i + 1]; ++j) sum += d->x[j];
                             d->library[i] = sum;
                           }
                         });
                       },
                       [d] { return near(d->library.all(), d->want.all(), 1e-10); }});
  it.rivals.push_back({"std", "std::for_each(par_unseq) over rows, std::reduce in each",
                       [d, p] {
                         for_each_result(p.threads, d->standard, [&](std::int64_t i) {
                           return std::reduce(&d->x[d->start[i]], &d->x[d->start[i + 1]]);
                         });
                       },
                       [d] { return near(d->standard.all(), d->want.all(), 1e-10); }});
  return it;
}

}  // namespace

Instance ten_rows(const Problem& p) { return segmented_sum(p, Lengths(10, p.n / 10)); }

Instance short_rows(const Problem& p) {
  Lengths lengths(static_cast<std::size_t>(p.n / 10));
  const Draw draw(p.seed, 2);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = draw.below(static_cast<std::int64_t>(i), 21);
  return segmented_sum(p, lengths);
}

Instance power_law_rows(const Problem& p) {
  Lengths lengths(static_cast<std::size_t>(p.n * 2 / 27));
  const Draw draw(p.seed, 2);
  for (std::size_t i = 0; i < lengths.size(); ++i)
    lengths[i] =
        std::min(1'000'000L, std::lround(std::floor(1 / (draw.unit(static_cast<std::int64_t>(i)) + 1e-7))));
  return segmented_sum(p, lengths);
}

}  // namespace nvm::bench
