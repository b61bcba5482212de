// The CPU engine against the loops an expert would write by hand, in one process: hand-built plans of the
// workloads W1, W2, W7, W9, W10, W16, W17, W20, W21. Prints the medians and minima of both and their ratio.
//
//   cpu_engine_bench [threads] [n] [workload]
#include <immintrin.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/bench/hand_plan.h"

// black_scholes_hand.cpp
void black_scholes(int threads, std::int64_t n, const double* s, const double* x, const double* t,
                   const double* rate, const double* volatility, double* out);

namespace {

using namespace nvm;
using namespace nvm::bench;

std::string g_only;

bool wanted(const char* w) { return g_only.empty() || g_only == w; }
volatile double g_sink;

template <int K, class F>
__attribute__((noinline)) void sum_range(std::int64_t lo, std::int64_t hi, double* o, F f) {
  __m512d a[K], b[K], v[K];
  for (int k = 0; k < K; ++k) a[k] = b[k] = _mm512_setzero_pd();
  std::int64_t i = lo;
  for (; i + 16 <= hi; i += 16) {
    f(i, v, static_cast<__mmask8>(255));
    for (int k = 0; k < K; ++k) a[k] += v[k];
    f(i + 8, v, static_cast<__mmask8>(255));
    for (int k = 0; k < K; ++k) b[k] += v[k];
  }
  for (; i < hi; i += 8) {
    f(i, v, static_cast<__mmask8>(hi - i >= 8 ? 255 : (1 << (hi - i)) - 1));
    for (int k = 0; k < K; ++k) a[k] += v[k];
  }
  for (int k = 0; k < K; ++k) o[k] = _mm512_reduce_add_pd(a[k] + b[k]);
}
template <int K, class F>
void sums(std::int64_t n, double* o, F f) {
  double part[64][8];
#pragma omp parallel num_threads(g_threads)
  {
    const int t = omp_get_thread_num();
    const std::int64_t c = (n / g_threads) / 64 * 64;
    sum_range<K>(c * t, t + 1 == g_threads ? n : c * (t + 1), part[t], f);
  }
  for (int k = 0; k < K; ++k) {
    o[k] = 0;
    for (int t = 0; t < g_threads; ++t) o[k] += part[t][k];
  }
}
#define LD(p, i) _mm512_maskz_loadu_pd(m, (p) + (i))

void w1(std::int64_t n, double* x, double* y) {
  Program p;
  const auto l = p.length(n);
  const auto vx = p.input(Storage::kF64, l, x), vy = p.input(Storage::kF64, l, y);
  p.reduce(Scalar::kAdd, p.op(Scalar::kMul, p.element(vx), p.element(vy)), p.output(Storage::kF64, 0));
  p.close(l);
  compare("W1 dot", 16.0 * static_cast<double>(n), p, [=] {
    double s;
    sums<1>(n, &s, [=](std::int64_t i, __m512d* v, __mmask8 m) { v[0] = LD(x, i) * LD(y, i); });
    g_sink = s;
  });
}

std::int32_t plan_cnd(Program& p, std::int32_t x) {
  using enum Scalar;
  const auto l = p.op(kMax, x, p.op(kSub, p.real(0), x));
  const auto k = p.op(kDiv, p.real(1), p.op(kAdd, p.real(1), p.op(kMul, p.real(0.2316419), l)));
  const auto lk = p.op(kLog, k);
  const double e3 = 20.085536923187668, e4 = 54.598150033144236, e5 = 148.4131591025766;
  const auto poly = p.op(
      kAdd, p.op(kSub, p.op(kMul, p.real(0.31938153), k), p.op(kMul, p.real(0.356563782), p.op(kMul, k, k))),
      p.op(kMul, p.real(1.781477937 * e3 - 1.821255978 * e4 + 1.330274429 * e5), lk));
  const auto ex = p.op(kExp, p.op(kMul, p.op(kMul, p.op(kSub, p.real(0), l), l), p.real(0.5)));
  const auto w = p.op(kSub, p.real(1), p.op(kMul, p.op(kMul, p.real(0.3989422804014327), ex), poly));
  return p.op(kSelect, p.op(kLt, x, p.real(0)), p.op(kSub, p.real(1), w), w);
}
void w2(std::int64_t n) {
  double* in[5];
  for (std::uint64_t k = 0; k < 5; ++k) {
    in[k] = memory<double>(n);
    const double scale[] = {100, 100, 1, .05, .4}, add[] = {1, 1, 0, 0, 0};
    for (std::int64_t i = 0; i < n; ++i)
      in[k][i] = scale[k] * uniform(static_cast<std::uint64_t>(i) + k * 1000000000000ULL) + add[k];
  }
  double* r = memory<double>(n);
  using enum Scalar;
  Program p;
  const auto l = p.length(n);
  std::int32_t v[5];
  for (int k = 0; k < 5; ++k) v[k] = p.input(Storage::kF64, l, in[k]);
  const auto out = p.output(Storage::kF64, l);
  const auto s = p.element(v[0]), x = p.element(v[1]), t = p.element(v[2]), rr = p.element(v[3]),
             vol = p.element(v[4]);
  const auto vs = p.op(kMul, vol, p.op(kSqrt, t));
  const auto drift = p.op(kMul, p.op(kAdd, rr, p.op(kMul, p.op(kMul, vol, vol), p.real(0.5))), t);
  const auto d1 = p.op(kDiv, p.op(kAdd, p.op(kLog, p.op(kDiv, s, x)), drift), vs);
  const auto d2 = p.op(kSub, d1, vs);
  const auto discount = p.op(kExp, p.op(kMul, p.op(kSub, p.real(0), rr), t));
  p.store(p.op(kSub, p.op(kMul, s, plan_cnd(p, d1)), p.op(kMul, p.op(kMul, x, discount), plan_cnd(p, d2))),
          out);
  p.close(l);
  compare("W2 black-scholes", 48.0 * static_cast<double>(n), p,
          [=] { black_scholes(g_threads, n, in[0], in[1], in[2], in[3], in[4], r); });
}

void w7() {
  const std::int64_t rows = 1000000;
  auto* off = memory<std::int64_t>(rows + 1);
  for (std::int64_t i = 0; i < rows; ++i)
    off[i + 1] = off[i] + 1 + static_cast<int>(uniform(static_cast<std::uint64_t>(i)) * 19);
  const std::int64_t nnz = off[rows];
  auto* ids = memory<std::int32_t>(nnz);
  auto *v = memory<double>(nnz), *x = memory<double>(rows), *y = memory<double>(rows);
  for (std::int64_t i = 0; i < nnz; ++i) {
    ids[i] = static_cast<std::int32_t>(uniform(static_cast<std::uint64_t>(i)) * static_cast<double>(rows));
    v[i] = uniform(static_cast<std::uint64_t>(i) + 7);
  }
  Program p;
  const auto lr = p.length(rows), ln = p.length(nnz);
  const auto d = p.desc(lr, ln, off);
  const auto vi = p.input(Storage::kI32, ln, ids), vv = p.input(Storage::kF64, ln, v),
             vx = p.input(Storage::kF64, lr, x);
  p.seg_reduce(Scalar::kAdd, p.op(Scalar::kMul, p.element(vv), p.gather(vx, p.element(vi))),
               p.output(Storage::kF64, lr), d);
  p.close(ln);
  compare("W7 spmv", 12.0 * static_cast<double>(nnz) + 20.0 * static_cast<double>(rows), p, [=] {
#pragma omp parallel for num_threads(g_threads) schedule(static)
    for (std::int64_t i = 0; i < rows; ++i) {
      double s = 0;
      for (std::int64_t j = off[i]; j < off[i + 1]; ++j) s += v[j] * x[ids[j]];
      y[i] = s;
    }
  });
}

void w9(std::int64_t n) {
  auto* a = memory<std::int32_t>(n);
  for (std::int64_t i = 0; i < n; ++i)
    a[i] = static_cast<int>(hash(static_cast<std::uint64_t>(i)) % 200) - 100;
  using enum Scalar;
  Program p;
  const auto l = p.length(n);
  const auto va = p.input(Storage::kI32, l, a);
  const auto best = p.output(Storage::kI64, 0);
  const auto x = p.element(va);
  const auto s = p.op(kAdd, p.scan(kAdd, x), x);
  p.reduce(kMax, p.op(kSub, s, p.op(kMin, p.number(0), p.scan(kMin, s))), best);
  p.close(l);
  compare("W9 mcss", 4.0 * static_cast<double>(n), p, [=] {  // Kadane, 8 chains a thread
    std::int64_t total = 0;
#pragma omp parallel num_threads(g_threads) reduction(+ : total)
    {
      constexpr int C = 8;
      const int t = omp_get_thread_num();
      const std::int64_t lo = n * t / g_threads, len = (n * (t + 1) / g_threads - lo) / C;
      std::int64_t best_c[C] = {}, sum[C] = {}, mn[C] = {};
      for (std::int64_t i = 0; i < len; ++i) {
#pragma omp simd
        for (int c = 0; c < C; ++c) {
          mn[c] = sum[c] < mn[c] ? sum[c] : mn[c];
          sum[c] += a[lo + c * len + i];
          best_c[c] = sum[c] - mn[c] > best_c[c] ? sum[c] - mn[c] : best_c[c];
        }
      }
      for (int c = 0; c < C; ++c) total += best_c[c];
    }
    g_sink = static_cast<double>(total);
  });
}

void w10(std::int64_t n, double* x, double* y) {
  using enum Scalar;
  Program p;
  const auto l = p.length(n);
  const auto vx = p.input(Storage::kF64, l, x), vy = p.input(Storage::kF64, l, y);
  const auto sx = p.output(Storage::kF64, 0), sy = p.output(Storage::kF64, 0),
             mean = p.output(Storage::kF64, 0), sxx = p.output(Storage::kF64, 0),
             sxy = p.output(Storage::kF64, 0);
  p.reduce(kAdd, p.element(vx), sx);
  p.reduce(kAdd, p.element(vy), sy);
  p.close(l);
  p.store(p.op(kDiv, p.element(sx, Pull::kUniform), p.real(static_cast<double>(n))), mean);
  p.close(0);
  const auto d = p.op(kSub, p.element(vx), p.element(mean, Pull::kUniform));
  p.reduce(kAdd, p.op(kMul, d, d), sxx);
  p.reduce(kAdd, p.op(kMul, d, p.element(vy)), sxy);
  p.close(l);
  compare("W10 linefit", 32.0 * static_cast<double>(n), p, [=] {
    double o[2], q[2];
    sums<2>(n, o, [=](std::int64_t i, __m512d* v, __mmask8 m) {
      v[0] = LD(x, i);
      v[1] = LD(y, i);
    });
    const auto X = _mm512_set1_pd(o[0] / static_cast<double>(n));
    sums<2>(n, q, [=](std::int64_t i, __m512d* v, __mmask8 m) {
      const auto e = _mm512_maskz_sub_pd(m, LD(x, i), X);
      v[0] = e * e;
      v[1] = e * LD(y, i);
    });
    g_sink = q[1] / q[0];
  });
}

void w16(const char* name, const std::vector<int>& len) {
  const auto k = static_cast<std::int64_t>(len.size());
  auto* off = memory<std::int64_t>(k + 1);
  for (std::int64_t i = 0; i < k; ++i) off[i + 1] = off[i] + len[static_cast<std::size_t>(i)];
  const std::int64_t n = off[k];
  auto *a = memory<double>(n), *r = memory<double>(k);
  for (std::int64_t i = 0; i < n; ++i) a[i] = uniform(static_cast<std::uint64_t>(i));
  Program p;
  const auto lk = p.length(k), ln = p.length(n);
  const auto d = p.desc(lk, ln, off);
  const auto va = p.input(Storage::kF64, ln, a);
  p.seg_reduce(Scalar::kAdd, p.element(va), p.output(Storage::kF64, lk), d);
  p.close(ln);
  compare(name, 8.0 * static_cast<double>(n) + 16.0 * static_cast<double>(k), p, [=] {
    std::vector<double> part(static_cast<std::size_t>(g_threads), 0.0);
    std::vector<std::int64_t> first(static_cast<std::size_t>(g_threads), -1);
#pragma omp parallel num_threads(g_threads)
    {
      const int t = omp_get_thread_num();
      const std::int64_t e0 = n * t / g_threads, e1 = n * (t + 1) / g_threads;
      std::int64_t s = std::upper_bound(off, off + k + 1, e0) - off - 1, q = e0;
      if (t == 0) s = 0;
      if (t > 0 && off[s] < e0) {
        double x = 0;
        const std::int64_t e = std::min(off[s + 1], e1);
        for (std::int64_t i = q; i < e; ++i) x += a[i];
        part[static_cast<std::size_t>(t)] = x;
        first[static_cast<std::size_t>(t)] = s;
        q = e;
        ++s;
      }
      while (s < k && off[s] < e1) {
        const std::int64_t e = std::min(off[s + 1], e1), m = e - q;
        double x = 0;
        const double* b = a + q;
        if (m <= 24) {
          const std::uint32_t M = _bzhi_u32(~0U, static_cast<unsigned>(m));
          x = _mm512_reduce_add_pd(_mm512_maskz_loadu_pd(static_cast<__mmask8>(M), b) +
                                   _mm512_maskz_loadu_pd(static_cast<__mmask8>(M >> 8), b + 8) +
                                   _mm512_maskz_loadu_pd(static_cast<__mmask8>(M >> 16), b + 16));
        } else {
#pragma omp simd reduction(+ : x)
          for (std::int64_t i = 0; i < m; ++i) x += b[i];
        }
        r[s] = x;
        q = e;
        ++s;
      }
    }
    for (std::size_t t = 1; t < first.size(); ++t)
      if (first[t] >= 0) r[first[t]] += part[t];
  });
}

void w17(std::int64_t n, double* x) {
  auto* r = memory<double>(n);
  using enum Scalar;
  Program p;
  const auto l = p.length(n);
  const auto vx = p.input(Storage::kF64, l, x), out = p.output(Storage::kF64, l);
  const auto v = p.element(vx);
  auto q = p.op(kMul, v, p.real(1.5));
  q = p.op(kAdd, q, p.real(2.0));
  q = p.op(kMul, q, v);
  q = p.op(kSub, q, p.real(0.5));
  q = p.op(kMul, q, v);
  q = p.op(kAdd, q, p.real(3.0));
  q = p.op(kMul, q, p.real(0.25));
  q = p.op(kAdd, q, v);
  q = p.op(kMul, q, v);
  p.store(p.op(kSub, q, p.real(1.0)), out);
  p.close(l);
  compare("W17 chain10", 16.0 * static_cast<double>(n), p, [=] {
#pragma omp parallel for num_threads(g_threads)
    for (std::int64_t i = 0; i < n; i += 8) {
      const auto w = _mm512_load_pd(x + i);
      const auto c = [](double e) { return _mm512_set1_pd(e); };
      _mm512_stream_pd(r + i,
                       (((((w * c(1.5) + c(2.0)) * w - c(0.5)) * w + c(3.0)) * c(0.25) + w) * w - c(1.0)));
    }
  });
}

void w20(std::int64_t n, double* x) {
  auto* r = memory<double>(n);
  using enum Scalar;
  for (const bool positive : {false, true}) {
    Program p;
    const auto l = p.length(n);
    const auto vx = p.input(Storage::kF64, l, x), s = p.output(Storage::kF64, 0),
               out = p.output(Storage::kF64, l);
    if (positive) {
      const auto v = p.element(vx);
      plan::LengthId kept = kNone;
      const auto count = p.count(p.op(kGt, v, p.real(0.5)), kept);
      p.reduce(kAdd, v, s);
      p.kernel.sinks.back().filter = count;
    } else {
      p.reduce(kAdd, p.element(vx), s);
    }
    p.close(l);
    p.store(p.op(kDiv, p.element(vx), p.element(s, Pull::kUniform)), out);
    p.close(l);
    compare(positive ? "W20b x/sum(x>.5)" : "W20a x/sum(x)", 24.0 * static_cast<double>(n), p, [=] {
      double total;
      const auto half = _mm512_set1_pd(0.5);
      if (positive)
        sums<1>(n, &total, [=](std::int64_t i, __m512d* v, __mmask8 m) {
          const auto e = LD(x, i);
          v[0] = _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(e, half, _CMP_GT_OQ), e);
        });
      else
        sums<1>(n, &total, [=](std::int64_t i, __m512d* v, __mmask8 m) { v[0] = LD(x, i); });
      const auto S = _mm512_set1_pd(total);
#pragma omp parallel for num_threads(g_threads)
      for (std::int64_t i = 0; i < n; i += 8)
        _mm512_stream_pd(r + i, _mm512_div_pd(_mm512_load_pd(x + i), S));
    });
  }
}

void w21() {
  const std::int64_t n = 1000000;
  auto *a = memory<double>(n + 16) + 8, *b = memory<double>(n + 16) + 8, *x = memory<double>(n);
  for (std::int64_t i = 0; i < n; ++i) x[i] = a[i] = uniform(static_cast<std::uint64_t>(i));
  using enum Scalar;
  Program p;
  const auto l = p.length(n);
  const auto vx = p.input(Storage::kF64, l, x), out = p.output(Storage::kF64, l);
  const auto i = p.index();
  const auto left = p.op(kSelect, p.op(kEq, i, p.number(0)), p.number(n - 1), p.op(kSub, i, p.number(1)));
  const auto right = p.op(kSelect, p.op(kEq, i, p.number(n - 1)), p.number(0), p.op(kAdd, i, p.number(1)));
  const auto sum = p.op(kAdd, p.op(kAdd, p.gather(vx, left), p.element(vx)), p.gather(vx, right));
  p.store(p.op(kMul, sum, p.real(0.3333333333)), out);
  p.close(l);
  compare("W21 stencil, a sweep", 16.0 * static_cast<double>(n), p, [=] {
    a[-1] = a[n - 1];
    a[n] = a[0];
#pragma omp parallel for simd schedule(static) num_threads(g_threads)
    for (std::int64_t k = 0; k < n; ++k) b[k] = (a[k - 1] + a[k] + a[k + 1]) * 0.3333333333;
  });
}

void segmented(std::int64_t n) {
  w16("W16i 10 segments", std::vector<int>(10, static_cast<int>(n / 10)));
  std::vector<int> len(static_cast<std::size_t>(n / 10));
  for (std::size_t i = 0; i < len.size(); ++i) len[i] = static_cast<int>(hash(i) % 21);
  w16("W16ii average 10", len);
  len.resize(static_cast<std::size_t>(n * 2 / 27));
  for (std::size_t i = 0; i < len.size(); ++i)
    len[i] = static_cast<int>(std::min(1e6, 1.0 / (uniform(i) + 1e-7)));
  w16("W16iii power law", len);
}

}  // namespace

int main(int argc, char** argv) {
  g_threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const std::int64_t n = argc > 2 ? std::atol(argv[2]) : 10000000;
  g_only = argc > 3 ? argv[3] : "";
  if (g_threads < 1 || n < 1) {
    std::fprintf(stderr, "usage: cpu_engine_bench [THREADS [ELEMENTS [WORKLOAD]]]\n");
    return EXIT_FAILURE;
  }
  auto *x = memory<double>(n), *y = memory<double>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    x[i] = uniform(static_cast<std::uint64_t>(i));
    y[i] = uniform(static_cast<std::uint64_t>(i) + 12345678901ULL);
  }
  if (wanted("W1")) w1(n, x, y);
  if (wanted("W2")) w2(n);
  if (wanted("W7")) w7();
  if (wanted("W9")) w9(n);
  if (wanted("W10")) w10(n, x, y);
  if (wanted("W16")) segmented(n);
  if (wanted("W17")) w17(n, x);
  if (wanted("W20")) w20(n, x);
  if (wanted("W21")) w21();
  return 0;
}
