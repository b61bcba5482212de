// Elements to the places whose flags are set, in order, others elsewhere. Registers are read whole; where
// that would be behind the last element, the last ones are read from a copy with room behind it.
#include "vm/prims/kernels/isa.h"
#include "vm/simd/lane_order.h"
#if NVM_VECTOR_BYTES >= 32
#include <immintrin.h>
#endif

namespace nvm::vm::kernels::NVM_ISA {

namespace {

#if NVM_VECTOR_BYTES >= 32
u64 eight(const void* p) {
  u64 x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}

// expand(v, flags, others, out) of kCount places; how many are flagged.
template <typename E>
struct Expander;
template <>
struct Expander<u8> {
  static constexpr i64 kCount = 8;
  static i64 expand(const u8* v, const u8* flags, const u8* others, u8* out) {
    const u64 f = eight(flags);
    const u64 x = (eight(others) & ~(f * 255)) | _pdep_u64(eight(v), f * 255);
    __builtin_memcpy(out, &x, sizeof x);
    return __builtin_popcountll(f);
  }
};
#endif
#if NVM_VECTOR_BYTES == 64
template <>
struct Expander<u32> {
  static constexpr i64 kCount = 16;
  static i64 expand(const u32* v, const u8* flags, const u32* others, u32* out) {
    const __m128i f = _mm_loadu_si128(reinterpret_cast<const __m128i*>(flags));
    const __mmask16 m = _mm_test_epi8_mask(f, f);
    _mm512_storeu_si512(out, _mm512_mask_expand_epi32(_mm512_loadu_si512(others), m, _mm512_loadu_si512(v)));
    return __builtin_popcount(m);
  }
};
template <>
struct Expander<u64> {
  static constexpr i64 kCount = 8;
  static i64 expand(const u64* v, const u8* flags, const u64* others, u64* out) {
    const auto m = static_cast<__mmask8>(_pext_u64(eight(flags), 0x0101010101010101));
    _mm512_storeu_si512(out, _mm512_mask_expand_epi64(_mm512_loadu_si512(others), m, _mm512_loadu_si512(v)));
    return __builtin_popcount(m);
  }
};
#elif NVM_VECTOR_BYTES == 32
template <typename E>
i64 expand_register(const E* v, u64 lanes, const E* others, E* out) {
  const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v));
  const __m256i old = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(others));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), expanded(lanes, x, old));
  return static_cast<i64>(static_cast<u64>(__builtin_popcountll(lanes)) * sizeof(u32) / sizeof(E));
}
template <>
struct Expander<u32> {
  static constexpr i64 kCount = 8;
  static i64 expand(const u32* v, const u8* flags, const u32* others, u32* out) {
    return expand_register(v, _pext_u64(eight(flags), 0x0101010101010101), others, out);
  }
};
template <>
struct Expander<u64> {
  static constexpr i64 kCount = 4;
  static i64 expand(const u64* v, const u8* flags, const u64* others, u64* out) {
    u32 f;
    __builtin_memcpy(&f, flags, sizeof f);
    return expand_register(v, doubled(_pext_u64(f, 0x01010101)), others, out);
  }
};
#endif

template <typename E>
void expand(const void* pv, i64 count, const u8* flags, i64 n, const void* pothers, i64 stride, void* pout) {
  const E* v = static_cast<const E*>(pv);
  const E* others = static_cast<const E*>(pothers);
  E* out = static_cast<E*>(pout);
  i64 i = 0;
#if NVM_VECTOR_BYTES >= 32
  constexpr i64 kCount = Expander<E>::kCount;
  i64 left = count;
  const auto step = [&] {
    const i64 taken = Expander<E>::expand(v, flags + i, others + i * stride, out + i);
    v += taken;
    left -= taken;
    i += kCount;
  };
  // NOLINTBEGIN(bugprone-infinite-loop): a step goes on
  while (i + kCount <= n && left >= kCount) step();
  E rest[2 * kCount] = {};
  if (left < kCount) {
    for (i64 j = 0; j < left; ++j) rest[j] = v[j];
    v = rest;
    while (i + kCount <= n) step();
  }
  // NOLINTEND(bugprone-infinite-loop)
#else
  static_cast<void>(count);
#endif
  for (; i < n; ++i) out[i] = flags[i] != 0 ? *v++ : others[i * stride];
}

}  // namespace

void fill_expand(Table& t) {
  t.expand[0] = expand<u8>;
  t.expand[1] = expand<u32>;
  t.expand[2] = expand<u64>;
}

}  // namespace nvm::vm::kernels::NVM_ISA
