// W18: Mandelbrot set, at most 256 steps for a point; n is the number of points.
#include <immintrin.h>

#include <cmath>

#include "tests/bench/suite/ints.h"
#include "tests/bench/suite/standard.h"

namespace nvm::bench {

namespace {

constexpr int kSteps = 256;

struct Data {
  std::int64_t side = 0;
  Array<std::int32_t> want, hand, library, standard;
};

double along(std::int64_t i, std::int64_t side) {
  return 2.5 * static_cast<double>(i) / static_cast<double>(side);
}

int escape(double cr, double ci) {
  double zr = 0, zi = 0;
  for (int n = 0; n < kSteps; ++n) {
    const double a = zr * zr, b = zi * zi;
    if (a + b > 4.0) return n;
    zi = 2.0 * zr * zi + ci;
    zr = a - b + cr;
  }
  return kSteps;
}

void row_one_by_one(std::int64_t side, std::int64_t y, std::int32_t* out) {
  for (std::int64_t x = 0; x < side; ++x) out[x] = escape(along(x, side) - 2.0, along(y, side) - 1.25);
}

#ifdef __AVX512F__
// Two vectors of eight points, so that the operations of one hide the latencies of the other.
struct Points {
  __m512d cr, zr = _mm512_setzero_pd(), zi = _mm512_setzero_pd();
  __m512i steps = _mm512_setzero_si512();

  // One step of the points that are still inside; answers which.
  __mmask8 step(__m512d ci) {
    const __m512d a = zr * zr, b = zi * zi;
    const __mmask8 inside = _mm512_cmp_pd_mask(a + b, _mm512_set1_pd(4.0), _CMP_LE_OQ);
    steps = _mm512_mask_add_epi64(steps, inside, steps, _mm512_set1_epi64(1));
    zi = (zr + zr) * zi + ci;
    zr = a - b + cr;
    return inside;
  }
};

void row(std::int64_t side, std::int64_t y, std::int32_t* out) {
  const __m512d ci = _mm512_set1_pd(along(y, side) - 1.25);
  std::int64_t x = 0;
  for (; x + 16 <= side; x += 16) {
    double cr[16];
    for (std::int64_t k = 0; k < 16; ++k) cr[k] = along(x + k, side) - 2.0;
    Points left{_mm512_loadu_pd(cr)}, right{_mm512_loadu_pd(cr + 8)};
    for (int n = 0; n < kSteps; ++n)
      if ((left.step(ci) | right.step(ci)) == 0) break;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + x), _mm512_cvtepi64_epi32(left.steps));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + x + 8), _mm512_cvtepi64_epi32(right.steps));
  }
  for (; x < side; ++x) out[x] = escape(along(x, side) - 2.0, along(y, side) - 1.25);
}
#else
void row(std::int64_t side, std::int64_t y, std::int32_t* out) { row_one_by_one(side, y, out); }
#endif

// Contraction to multiply-add may change the count of a point at the border.
std::string nearly_same(std::span<const std::int32_t> got, std::span<const std::int32_t> want) {
  std::size_t differ = got.size() == want.size() ? 0 : got.size();
  for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i) differ += got[i] != want[i];
  return differ <= want.size() / 1000 ? "" : std::to_string(differ) + " points differ";
}

}  // namespace

Instance mandelbrot(const Problem& p) {
  const auto d = std::make_shared<Data>();
  d->side = std::lround(std::sqrt(static_cast<double>(p.n)));
  const std::int64_t points = d->side * d->side;
  d->want = Array<std::int32_t>(points);
  d->hand = Array<std::int32_t>(points);
  d->library = Array<std::int32_t>(points);
  d->standard = Array<std::int32_t>(points);
  const auto rows_into = [d](const Array<std::int32_t>& out, int threads, auto row) {
    blocks(threads, d->side, 4, [&](std::int64_t lo, std::int64_t hi) {
      for (std::int64_t y = lo; y < hi; ++y) row(d->side, y, out.data() + y * d->side);
    });
  };
  rows_into(d->want, p.threads, row_one_by_one);
  Instance it;
  it.n = points;
  it.inputs = {{"side", "int", {lib::make_ints(std::vector<std::int64_t>{d->side})}}};
  it.expression = "mandelbrot(side)";
  it.check = [d](Values v) {
    std::vector<std::int32_t> got;
    with_ints(v[2], [&](const auto& ints) { got.assign(ints.begin(), ints.end()); });
    return nearly_same(got, d->want.all());
  };
  it.rivals.push_back({"hand", "16 points at a time, rows as threads become free",
                       [=] { rows_into(d->hand, p.threads, row); },
                       [d] { return nearly_same(d->hand.all(), d->want.all()); }});
  it.rivals.push_back({"library", "parallel loop over points, one after the other",
                       [=] { rows_into(d->library, p.threads, row_one_by_one); },
                       [d] { return nearly_same(d->library.all(), d->want.all()); }});
  it.rivals.push_back({"std", "std::for_each(par_unseq) over points",
                       [d, p] {
                         for_each_result(p.threads, d->standard, [&](std::int64_t i) {
                           return escape(along(i % d->side, d->side) - 2.0,
                                         along(i / d->side, d->side) - 1.25);
                         });
                       },
                       [d] { return nearly_same(d->standard.all(), d->want.all()); }});
  return it;
}

}  // namespace nvm::bench
