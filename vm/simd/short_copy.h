// Copies of pieces that are mostly short: their lengths cost no or few branches.
#pragma once

#include "vm/simd/vectors.h"
#if NVM_VECTOR_BYTES >= 32
#include <immintrin.h>
#endif

namespace nvm::vm::simd {

namespace {

constexpr i64 kLongCopy = 512;  // bytes from which a call does not show

#if NVM_VECTOR_BYTES == 64
using Bytes = __m512i;
inline Bytes load_bytes(const u8* p) { return _mm512_loadu_si512(p); }
inline void store_bytes(u8* p, Bytes x) { _mm512_storeu_si512(p, x); }
// The first n <= 64 bytes.
inline Bytes load_few(const u8* p, i64 n) {
  return _mm512_maskz_loadu_epi8(_bzhi_u64(~u64{0}, static_cast<u32>(n)), p);
}
inline void copy_few(const u8* from, i64 n, u8* to) {
  _mm512_mask_storeu_epi8(to, _bzhi_u64(~u64{0}, static_cast<u32>(n)), load_few(from, n));
}
#elif NVM_VECTOR_BYTES == 32
using Bytes = __m256i;
inline Bytes load_bytes(const u8* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
inline void store_bytes(u8* p, Bytes x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
// The first n <= 32 bytes, whole words of four.
inline Bytes load_few(const u8* p, i64 n) {
  const __m256i words = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<i32>(n / 4)),
                                           _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  return _mm256_maskload_epi32(reinterpret_cast<const i32*>(p), words);
}
// From kHalf to twice as many bytes: the first and the last of them, which may overlap.
template <i64 kHalf>
void copy_ends(const u8* from, i64 n, u8* to) {
  u8 first[kHalf], last[kHalf];
  __builtin_memcpy(first, from, kHalf);
  __builtin_memcpy(last, from + n - kHalf, kHalf);
  __builtin_memcpy(to, first, kHalf);
  __builtin_memcpy(to + n - kHalf, last, kHalf);
}
// n < 32 bytes. A masked store would cost more than these branches.
inline void copy_few(const u8* from, i64 n, u8* to) {
  if (n >= 16) return copy_ends<16>(from, n, to);
  if (n >= 8) return copy_ends<8>(from, n, to);
  if (n >= 4) return copy_ends<4>(from, n, to);
  for (i64 i = 0; i < n; ++i) to[i] = from[i];
}
#endif

// n elements, and nothing behind them.
template <typename E>
void copy_exactly(const E* from, i64 n, E* to) {
#if NVM_VECTOR_BYTES >= 32
  i64 left = n * static_cast<i64>(sizeof(E));
  if (left < kLongCopy) {
    constexpr i64 kStep = sizeof(Bytes);
    const u8* p = reinterpret_cast<const u8*>(from);
    u8* q = reinterpret_cast<u8*>(to);
    for (; left >= kStep; left -= kStep, p += kStep, q += kStep) store_bytes(q, load_bytes(p));
    copy_few(p, left, q);
    return;
  }
#endif
  __builtin_memcpy(to, from, static_cast<u64>(n) * sizeof(E));
}

// n elements; up to a register behind them is spoilt, but nothing from `end` on. For pieces that are written
// one behind the other.
template <typename E>
void copy_over(const E* from, i64 n, E* to, [[maybe_unused]] const E* end) {
#if NVM_VECTOR_BYTES >= 32
  constexpr i64 kStep = sizeof(Bytes);
  i64 left = n * static_cast<i64>(sizeof(E));
  if ((NVM_VECTOR_BYTES == 64 || sizeof(E) >= 4) && left < kLongCopy &&
      n + kStep / static_cast<i64>(sizeof(E)) <= end - to) {
    const u8* p = reinterpret_cast<const u8*>(from);
    u8* q = reinterpret_cast<u8*>(to);
    for (; left > kStep; left -= kStep, p += kStep, q += kStep) store_bytes(q, load_bytes(p));
    store_bytes(q, load_few(p, left));
    return;
  }
#endif
  copy_exactly(from, n, to);
}

}  // namespace

}  // namespace nvm::vm::simd
