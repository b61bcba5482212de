// R4: the product of two square matrices of n numbers each, in Remora.
#include <dlfcn.h>

#include <cmath>

#include "tests/bench/workloads/remora.h"

namespace nvm::bench {

namespace {

struct Data {
  std::int64_t side = 0;
  Array<double> a, b, want, hand, library;
};

// Tiles of b stay in the cache; a row of the result is summed up a tile's row at a time.
void multiply(const Data& d, const Array<double>& out, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t kTile = 64, kWide = 512;
  const std::int64_t n = d.side;
  std::fill(out.data() + first * n, out.data() + last * n, 0.0);
  for (std::int64_t jj = 0; jj < n; jj += kWide)
    for (std::int64_t kk = 0; kk < n; kk += kTile)
      for (std::int64_t i = first; i < last; ++i)
        for (std::int64_t k = kk; k < std::min(kk + kTile, n); ++k) {
          const double x = d.a[i * n + k];
          const double* row = d.b.data() + k * n;
          double* __restrict to = out.data() + i * n;
#pragma omp simd
          for (std::int64_t j = jj; j < std::min(jj + kWide, n); ++j) to[j] += x * row[j];
        }
}

// cblas_dgemm of OpenBLAS, if the machine has it.
using Gemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, double,
                      double*, int);
Gemm open_blas(int threads) {
  static void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  if (void* const set = dlsym(library, "openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(set)(threads);
  return reinterpret_cast<Gemm>(dlsym(library, "cblas_dgemm"));
}

}  // namespace

Instance remora_matrix_product(const Problem& p) {
  const auto side = std::max<std::int64_t>(1, std::lround(std::floor(std::sqrt(static_cast<double>(p.n)))));
  Problem all = p;
  all.n = side * side;
  const auto d = std::make_shared<Data>(Data{side, uniform(all, 1), uniform(all, 2), Array<double>(all.n),
                                             Array<double>(all.n), Array<double>(all.n)});
  multiply(*d, d->want, 0, side);
  Instance it;
  it.n = all.n;
  it.inputs = {array_of("a", {side, side}, d->a), array_of("b", {side, side}, d->b)};
  it.expression = "(m*m a b)";
  it.check = [d](Values v) { return near(v[1], d->want.all(), 1e-10); };
  it.rivals.push_back({"hand", "tiles of rows, vectorised, rows among threads",
                       [d, p, side] {
                         parts(
                             p.threads, side,
                             [&](std::int64_t lo, std::int64_t hi, int) { multiply(*d, d->hand, lo, hi); },
                             1);
                       },
                       [d] { return near(d->hand.all(), d->want.all(), 1e-10); }});
  if (const Gemm gemm = open_blas(p.threads))
    it.rivals.push_back({"OpenBLAS", "cblas_dgemm",
                         [d, gemm] {
                           constexpr int kRows = 101, kPlain = 111;  // of cblas.h
                           const auto n = static_cast<int>(d->side);
                           gemm(kRows, kPlain, kPlain, n, n, n, 1.0, d->a.data(), n, d->b.data(), n, 0.0,
                                d->library.data(), n);
                         },
                         [d] { return near(d->library.all(), d->want.all(), 1e-10); }});
  return it;
}

}  // namespace nvm::bench
