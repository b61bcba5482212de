// Elementary functions: SLEEF within 1 ulp, in its variants that give the same bits at every vector width.
// Their special cases are mended with the C library, whose values legacy programs print: NaN (its sign),
// overflow of sinh and cosh near the limit, and the precision of tiny arguments.
#include <math.h>
#include <sleef.h>

#include "vm/prims/kernels/isa.h"

#if !defined(__FMA__) && defined(__x86_64__)
// The library has these, but its header shows them only to code compiled for fused multiply-add.
#define NVM_DECLARE(name) extern "C" double Sleef_finz_##name##d1_u10purecfma(double);
NVM_DECLARE(log)
NVM_DECLARE(exp)
NVM_DECLARE(sin)
NVM_DECLARE(cos)
NVM_DECLARE(tan)
NVM_DECLARE(asin)
NVM_DECLARE(acos)
NVM_DECLARE(atan)
NVM_DECLARE(sinh)
NVM_DECLARE(cosh)
NVM_DECLARE(tanh)
#undef NVM_DECLARE
#endif
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace nvm::vm::kernels::NVM_ISA {

namespace {

// One definition per function: the vector call of this instruction set and the mending call.
#if defined(__AVX512F__)
constexpr i64 kWidth = 8;
#define NVM_SLEEF(name)                                                          \
  struct name##_f {                                                              \
    static void step(const f64* a, f64* r) {                                     \
      _mm512_storeu_pd(r, Sleef_finz_##name##d8_u10avx512f(_mm512_loadu_pd(a))); \
    }                                                                            \
    static f64 exact(f64 x) { return name(x); }                                  \
  };
#elif defined(__AVX2__)
constexpr i64 kWidth = 4;
#define NVM_SLEEF(name)                                                       \
  struct name##_f {                                                           \
    static void step(const f64* a, f64* r) {                                  \
      _mm256_storeu_pd(r, Sleef_finz_##name##d4_u10avx2(_mm256_loadu_pd(a))); \
    }                                                                         \
    static f64 exact(f64 x) { return name(x); }                               \
  };
#else
constexpr i64 kWidth = 1;
// Without fused multiply-add in hardware the bits cannot be those of the vector variants; the accuracy can.
bool has_fma() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("fma") != 0;
  return has;
#else
  return false;
#endif
}
#define NVM_SLEEF(name)                                                                            \
  struct name##_f {                                                                                \
    static void step(const f64* a, f64* r) {                                                       \
      *r = has_fma() ? Sleef_finz_##name##d1_u10purecfma(*a) : Sleef_cinz_##name##d1_u10purec(*a); \
    }                                                                                              \
    static f64 exact(f64 x) { return name(x); }                                                    \
  };
#endif

NVM_SLEEF(log)
NVM_SLEEF(exp)
NVM_SLEEF(sin)
NVM_SLEEF(cos)
NVM_SLEEF(tan)
NVM_SLEEF(asin)
NVM_SLEEF(acos)
NVM_SLEEF(atan)
NVM_SLEEF(sinh)
NVM_SLEEF(cosh)
NVM_SLEEF(tanh)
#undef NVM_SLEEF

bool needs_mending(f64 x, f64 y) {
  const f64 magnitude = __builtin_fabs(x);
  return !(__builtin_fabs(y) <= 1.7976931348623157e308) || (magnitude < 1e-290 && magnitude > 0.0);
}

constexpr i64 kBlock = 256;

template <typename F>
void block(const f64* a, f64* r, i64 n) {
  f64 x[kBlock];
  f64 y[kBlock];
  for (i64 i = 0; i < n; ++i) x[i] = a[i];
  for (i64 i = n; i < (n + kWidth - 1) / kWidth * kWidth; ++i) x[i] = 0.5;
  for (i64 i = 0; i < n; i += kWidth) F::step(x + i, y + i);
  bool mend = false;
  for (i64 i = 0; i < n; ++i) mend |= needs_mending(x[i], y[i]);
  if (mend) {
    for (i64 i = 0; i < n; ++i)
      if (needs_mending(x[i], y[i])) y[i] = F::exact(x[i]);
  }
  for (i64 i = 0; i < n; ++i) r[i] = y[i];
}

template <typename F>
void function(const void* pa, void* pr, i64 n) {
  const f64* a = static_cast<const f64*>(pa);
  f64* r = static_cast<f64*>(pr);
  for (i64 i = 0; i < n; i += kBlock) block<F>(a + i, r + i, n - i < kBlock ? n - i : kBlock);
}

template <typename F>
void set(Table& t, Scalar s) {
  t.unary[index_of(s)][index_of(Storage::kF64)] = function<F>;
}

}  // namespace

void fill_functions(Table& t) {
  set<log_f>(t, Scalar::kLog);
  set<exp_f>(t, Scalar::kExp);
  set<sin_f>(t, Scalar::kSin);
  set<cos_f>(t, Scalar::kCos);
  set<tan_f>(t, Scalar::kTan);
  set<asin_f>(t, Scalar::kAsin);
  set<acos_f>(t, Scalar::kAcos);
  set<atan_f>(t, Scalar::kAtan);
  set<sinh_f>(t, Scalar::kSinh);
  set<cosh_f>(t, Scalar::kCosh);
  set<tanh_f>(t, Scalar::kTanh);
}

}  // namespace nvm::vm::kernels::NVM_ISA
