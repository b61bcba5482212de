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

// Vectors of this instruction set: the first n elements loaded (the others are harmless) and stored, and the
// call of a function on one.
#if defined(__AVX512F__)
using Vec = __m512d;
constexpr i64 kWidth = 8;
__mmask8 first(i64 n) { return static_cast<__mmask8>(_bzhi_u32(255, static_cast<u32>(n))); }
Vec load(const f64* a, i64 n) { return _mm512_mask_loadu_pd(_mm512_set1_pd(0.5), first(n), a); }
void store(f64* r, i64 n, Vec y) { _mm512_mask_storeu_pd(r, first(n), y); }
#define NVM_CALL(name, x) Sleef_finz_##name##d8_u10avx512f(x)
#elif defined(__AVX2__)
using Vec = __m256d;
constexpr i64 kWidth = 4;
__m256i first(i64 n) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)); }
Vec load(const f64* a, i64 n) {
  const __m256i m = first(n);
  return _mm256_blendv_pd(_mm256_set1_pd(0.5), _mm256_maskload_pd(a, m), _mm256_castsi256_pd(m));
}
void store(f64* r, i64 n, Vec y) { _mm256_maskstore_pd(r, first(n), y); }
#define NVM_CALL(name, x) Sleef_finz_##name##d4_u10avx2(x)
#else
using Vec = f64;
constexpr i64 kWidth = 1;
Vec load(const f64* a, i64) { return *a; }
void store(f64* r, i64, Vec y) { *r = y; }
// Without fused multiply-add in hardware the bits cannot be those of the vector variants; the accuracy can.
bool has_fma() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("fma") != 0;
  return has;
#else
  return false;
#endif
}
#define NVM_CALL(name, x) has_fma() ? Sleef_finz_##name##d1_u10purecfma(x) : Sleef_cinz_##name##d1_u10purec(x)
#endif

// One definition per function: the call on a vector, and the mending call.
#define NVM_SLEEF(name)                                  \
  struct name##_f {                                      \
    static Vec call(Vec x) { return NVM_CALL(name, x); } \
    static f64 exact(f64 x) { return name(x); }          \
  };

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
#undef NVM_CALL

bool needs_mending(f64 x, f64 y) {
  const f64 magnitude = __builtin_fabs(x);
  const bool wild = !(__builtin_fabs(y) <= 1.7976931348623157e308);
  const bool tiny = (magnitude < 1e-290) & (magnitude > 0.0);
  return wild | tiny;
}

template <typename F>
void function(const void* pa, void* pr, i64 n) {
  const f64* a = static_cast<const f64*>(pa);
  f64* r = static_cast<f64*>(pr);
  for (i64 i = 0; i < n; i += kWidth) {
    const i64 m = n - i < kWidth ? n - i : kWidth;
    const Vec vx = load(a + i, m);
    const Vec vy = F::call(vx);
    f64 x[kWidth];
    f64 y[kWidth];
    __builtin_memcpy(x, &vx, sizeof x);  // r may be a
    __builtin_memcpy(y, &vy, sizeof y);
    store(r + i, m, vy);
    u64 mend = 0;
    for (i64 j = 0; j < kWidth; ++j) mend |= static_cast<u64>(needs_mending(x[j], y[j]));
    if (mend != 0) [[unlikely]]
      for (i64 j = 0; j < m; ++j)
        if (needs_mending(x[j], y[j])) r[i + j] = F::exact(x[j]);
  }
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
