// Elementary functions on one vector: SLEEF within 1 ulp, in its variants that give the same bits at every
// vector width. Their special cases are mended with the C library, whose values legacy programs print: NaN
// (its sign), overflow of sinh and cosh near the limit, and the precision of tiny arguments.
#pragma once

#include <math.h>
#include <sleef.h>

#include "vm/simd/vectors.h"
#if NVM_VECTOR_BYTES >= 32
#include <immintrin.h>
#endif

#if NVM_VECTOR_BYTES < 32 && !defined(__FMA__) && defined(__x86_64__)
// The library has these, but its header shows them only to code compiled for fused multiply-add.
#define ELEMENTARY(id, name) extern "C" double Sleef_finz_##name##d1_u10purecfma(double);
#include "vm/simd/elementary.def"
#endif

namespace nvm::vm::simd {

namespace {

inline constexpr f64 kLargest = 1.7976931348623157e308;
inline constexpr f64 kTiny = 1e-290;

inline bool needs_mending(f64 x, f64 y) {
  const f64 magnitude = __builtin_fabs(x);
  return !(__builtin_fabs(y) <= kLargest) || (magnitude < kTiny && magnitude > 0.0);
}

#if NVM_VECTOR_BYTES == 64
using Floats = __m512d;
inline bool any_needs_mending(Floats x, Floats y) {
  const __m512d magnitude = _mm512_abs_pd(x);
  const __mmask8 wild = _mm512_cmp_pd_mask(_mm512_abs_pd(y), _mm512_set1_pd(kLargest), _CMP_NLE_UQ);
  const __mmask8 small = _mm512_cmp_pd_mask(magnitude, _mm512_set1_pd(kTiny), _CMP_LT_OQ);
  return (wild | _mm512_mask_cmp_pd_mask(small, magnitude, _mm512_setzero_pd(), _CMP_GT_OQ)) != 0;
}
#define NVM_SLEEF_CALL(name, x) Sleef_finz_##name##d8_u10avx512f(x)
#elif NVM_VECTOR_BYTES == 32
using Floats = __m256d;
inline bool any_needs_mending(Floats x, Floats y) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  const __m256d magnitude = _mm256_andnot_pd(sign, x);
  const __m256d wild = _mm256_cmp_pd(_mm256_andnot_pd(sign, y), _mm256_set1_pd(kLargest), _CMP_NLE_UQ);
  const __m256d small = _mm256_and_pd(_mm256_cmp_pd(magnitude, _mm256_set1_pd(kTiny), _CMP_LT_OQ),
                                      _mm256_cmp_pd(magnitude, _mm256_setzero_pd(), _CMP_GT_OQ));
  return _mm256_movemask_pd(_mm256_or_pd(wild, small)) != 0;
}
#define NVM_SLEEF_CALL(name, x) Sleef_finz_##name##d4_u10avx2(x)
#else
using Floats = f64;
inline bool any_needs_mending(Floats x, Floats y) { return needs_mending(x, y); }
// Without fused multiply-add in hardware the bits cannot be those of the vector variants; the accuracy can.
inline bool has_fma() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("fma") != 0;
  return has;
#else
  return false;
#endif
}
#define NVM_SLEEF_CALL(name, x) \
  has_fma() ? Sleef_finz_##name##d1_u10purecfma(x) : Sleef_cinz_##name##d1_u10purec(x)
#endif

// One definition per function: the call on a vector, and the mending call.
#define ELEMENTARY(id, name)                                         \
  struct name##_f {                                                  \
    static Floats call(Floats x) { return NVM_SLEEF_CALL(name, x); } \
    static f64 exact(f64 x) { return name(x); }                      \
  };
#include "vm/simd/elementary.def"
#undef NVM_SLEEF_CALL

template <typename F>
[[gnu::noinline]] Floats mend(Floats vx, Floats vy) {
  constexpr auto kBytes = sizeof(Floats);  // of one number where no vectors are
  constexpr int kWidth = kBytes / sizeof(f64);
  f64 x[kWidth];
  f64 y[kWidth];
  __builtin_memcpy(x, &vx, sizeof x);
  __builtin_memcpy(y, &vy, sizeof y);
  for (int j = 0; j < kWidth; ++j)
    if (needs_mending(x[j], y[j])) y[j] = F::exact(x[j]);
  __builtin_memcpy(&vy, y, sizeof y);
  return vy;
}

// F of every element; what generated code calls, too.
template <typename F>
Floats elementary(Floats x) {
  const Floats y = F::call(x);
  return any_needs_mending(x, y) ? mend<F>(x, y) : y;
}

}  // namespace

}  // namespace nvm::vm::simd
