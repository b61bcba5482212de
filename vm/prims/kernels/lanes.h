// Registers of elements that are compared with a value and packed, by instruction set.
#pragma once

#include "vm/prims/kernels/isa.h"
#include "vm/simd/lane_order.h"
#if NVM_VECTOR_BYTES >= 32
#include <immintrin.h>
#endif

namespace nvm::vm::kernels::NVM_ISA {

namespace {

#if NVM_VECTOR_BYTES >= 32
// kBytes of elements in a register. compare(): which of the `first` ones stand in relation kScalar to y, a
// bit for each. store() packs those of m and may write a whole register; store_exactly(), where there is one,
// does not.
template <typename T, int kBytes = NVM_VECTOR_BYTES>
struct Lanes;
template <Scalar kScalar>
constexpr int float_predicate() {
  switch (kScalar) {
    case Scalar::kLt: return _CMP_LT_OQ;
    case Scalar::kLe: return _CMP_LE_OQ;
    case Scalar::kGt: return _CMP_GT_OQ;
    case Scalar::kGe: return _CMP_GE_OQ;
    case Scalar::kEq: return _CMP_EQ_OQ;
    default: return _CMP_NEQ_UQ;
  }
}
#endif
#if NVM_VECTOR_BYTES == 64
template <Scalar kScalar>
constexpr int int_predicate() {
  switch (kScalar) {
    case Scalar::kLt: return _MM_CMPINT_LT;
    case Scalar::kLe: return _MM_CMPINT_LE;
    case Scalar::kGt: return _MM_CMPINT_NLE;
    case Scalar::kGe: return _MM_CMPINT_NLT;
    case Scalar::kEq: return _MM_CMPINT_EQ;
    default: return _MM_CMPINT_NE;
  }
}
// The intrinsics of a width and a type differ by prefix and suffix alone.
#define NVM_LANES(T, kBytes, Register, Mask, prefix, suffix, set1, predicate)                         \
  template <>                                                                                         \
  struct Lanes<T, kBytes> {                                                                           \
    static constexpr i64 kCount = kBytes / static_cast<i64>(sizeof(T));                               \
    static Register all(T x) { return prefix##set1(x); }                                              \
    static Register load(u64 first, const T* p) {                                                     \
      return prefix##_maskz_loadu_##suffix(static_cast<Mask>(first), p);                              \
    }                                                                                                 \
    template <Scalar kScalar>                                                                         \
    static u64 compare(u64 first, Register v, Register y) {                                           \
      return prefix##_mask_cmp_##suffix##_mask(static_cast<Mask>(first), v, y, predicate<kScalar>()); \
    }                                                                                                 \
    static Register packed(u64 m, Register v) {                                                       \
      return prefix##_maskz_compress_##suffix(static_cast<Mask>(m), v);                               \
    }                                                                                                 \
    static void store(u64 m, Register v, T* p) { prefix##_storeu_##suffix(p, packed(m, v)); }         \
    static void store_exactly(u64 m, Register v, T* p) {                                              \
      const u64 low = _bzhi_u64(~u64{0}, static_cast<u32>(__builtin_popcountll(m)));                  \
      prefix##_mask_storeu_##suffix(p, static_cast<Mask>(low), packed(m, v));                         \
    }                                                                                                 \
  };
NVM_LANES(i32, 64, __m512i, __mmask16, _mm512, epi32, _set1_epi32, int_predicate)
NVM_LANES(i64, 64, __m512i, __mmask8, _mm512, epi64, _set1_epi64, int_predicate)
NVM_LANES(f64, 64, __m512d, __mmask8, _mm512, pd, _set1_pd, float_predicate)
// Half a register, for few elements: its stores cost half as much, and less where they cross a line.
NVM_LANES(i32, 32, __m256i, __mmask8, _mm256, epi32, _set1_epi32, int_predicate)
NVM_LANES(i64, 32, __m256i, __mmask8, _mm256, epi64, _set1_epi64x, int_predicate)
NVM_LANES(f64, 32, __m256d, __mmask8, _mm256, pd, _set1_pd, float_predicate)
#undef NVM_LANES
#elif NVM_VECTOR_BYTES == 32

// From `v > y`, `y > v` or `v == y`, whatever kScalar needs; others are complements.
template <Scalar kScalar, typename V, typename Greater, typename Equal>
u64 int_relation(u64 first, V v, V y, Greater greater, Equal equal) {
  switch (kScalar) {
    case Scalar::kLt: return greater(y, v) & first;
    case Scalar::kLe: return ~greater(v, y) & first;
    case Scalar::kGt: return greater(v, y) & first;
    case Scalar::kGe: return ~greater(y, v) & first;
    case Scalar::kEq: return equal(v, y) & first;
    default: return ~equal(v, y) & first;
  }
}

template <>
struct Lanes<i32> {
  static constexpr i64 kCount = 8;
  static __m256i all(i32 x) { return _mm256_set1_epi32(x); }
  static __m256i load(u64 first, const i32* p) {
    if (first == 255) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_maskload_epi32(
        p, _mm256_cmpeq_epi32(_mm256_and_si256(all(static_cast<i32>(first)), bits), bits));
  }
  template <Scalar kScalar>
  static u64 compare(u64 first, __m256i v, __m256i y) {
    const auto bits = [](__m256i x) {
      return static_cast<u64>(static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(x))));
    };
    return int_relation<kScalar>(
        first, v, y, [&](__m256i a, __m256i b) { return bits(_mm256_cmpgt_epi32(a, b)); },
        [&](__m256i a, __m256i b) { return bits(_mm256_cmpeq_epi32(a, b)); });
  }
  static void store(u64 m, __m256i v, i32* p) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), packed(m, v));
  }
};
inline __m256i four_lanes(u64 first) {
  const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
  return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(static_cast<i64>(first)), bits), bits);
}
inline u64 four_bits(__m256d x) { return static_cast<u64>(static_cast<u32>(_mm256_movemask_pd(x))); }
template <>
struct Lanes<i64> {
  static constexpr i64 kCount = 4;
  static __m256i all(i64 x) { return _mm256_set1_epi64x(x); }
  static __m256i load(u64 first, const i64* p) {
    if (first == 15) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return _mm256_maskload_epi64(reinterpret_cast<const long long*>(p), four_lanes(first));
  }
  template <Scalar kScalar>
  static u64 compare(u64 first, __m256i v, __m256i y) {
    return int_relation<kScalar>(
        first, v, y,
        [](__m256i a, __m256i b) { return four_bits(_mm256_castsi256_pd(_mm256_cmpgt_epi64(a, b))); },
        [](__m256i a, __m256i b) { return four_bits(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b))); });
  }
  static void store(u64 m, __m256i v, i64* p) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), packed(doubled(m), v));
  }
};
template <>
struct Lanes<f64> {
  static constexpr i64 kCount = 4;
  static __m256d all(f64 x) { return _mm256_set1_pd(x); }
  static __m256d load(u64 first, const f64* p) {
    return first == 15 ? _mm256_loadu_pd(p) : _mm256_maskload_pd(p, four_lanes(first));
  }
  template <Scalar kScalar>
  static u64 compare(u64 first, __m256d v, __m256d y) {
    return four_bits(_mm256_cmp_pd(v, y, float_predicate<kScalar>())) & first;
  }
  static void store(u64 m, __m256d v, f64* p) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), packed(doubled(m), _mm256_castpd_si256(v)));
  }
};
#endif

}  // namespace

}  // namespace nvm::vm::kernels::NVM_ISA
