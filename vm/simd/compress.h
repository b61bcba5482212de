// Counting and moving flagged elements. AVX-512 compresses in registers and stores whole vectors where there
// is room, because the storing form of the instruction is slow on some processors.
#pragma once

#include "vm/simd/lane_order.h"
#include "vm/simd/vectors.h"
#if NVM_VECTOR_BYTES >= 32
#include <immintrin.h>
#endif

namespace nvm::vm::simd {

namespace {

inline i64 count_flags(const u8* flags, i64 n) {
  i64 total = 0;
  for (i64 at = 0; at < n;) {  // byte counters cannot overflow within 255 rounds
    const i64 end = n - at < 255 * 64 ? n : at + 255 * 64;
    u32 part = 0;
    for (; at < end; ++at) part += flags[at];
    total += part;
  }
  return total;
}

template <typename E>
E* compress_plain(const E* v, const u8* flags, i64 n, E* out, i64 room) {
  const E* end = out + room;
  for (i64 i = 0; i < n && out < end; ++i) {
    *out = v[i];
    out += flags[i];
  }
  return out;
}

#if NVM_VECTOR_BYTES == 64
inline u32* compress_vector(const u32* v, const u8* flags, i64 n, u32* out, i64 room) {
  i64 i = 0;
  for (; i + 16 <= n && room >= 16; i += 16) {
    const __m128i f = _mm_loadu_si128(reinterpret_cast<const __m128i*>(flags + i));
    const __mmask16 m = _mm_test_epi8_mask(f, f);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(m, _mm512_loadu_si512(v + i)));
    const int taken = __builtin_popcount(m);
    out += taken;
    room -= taken;
  }
  return compress_plain(v + i, flags + i, n - i, out, room);
}
inline u64* compress_vector(const u64* v, const u8* flags, i64 n, u64* out, i64 room) {
  i64 i = 0;
  for (; i + 16 <= n && room >= 16; i += 16) {
    const __m128i f = _mm_loadu_si128(reinterpret_cast<const __m128i*>(flags + i));
    const u32 m = _mm_test_epi8_mask(f, f);
    const __mmask8 low = static_cast<__mmask8>(m);
    const __mmask8 high = static_cast<__mmask8>(m >> 8);
    const int first = __builtin_popcount(low);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(low, _mm512_loadu_si512(v + i)));
    _mm512_storeu_si512(out + first, _mm512_maskz_compress_epi64(high, _mm512_loadu_si512(v + i + 8)));
    const int taken = __builtin_popcount(m);
    out += taken;
    room -= taken;
  }
  return compress_plain(v + i, flags + i, n - i, out, room);
}
#elif NVM_VECTOR_BYTES == 32
constexpr u64 kAllSet = 0x0101010101010101;  // eight flags

inline u64* compress_vector(const u64* v, const u8* flags, i64 n, u64* out, i64 room) {
  const auto load = [](const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); };
  const auto store = [](u64* p, __m256i x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); };
  i64 i = 0;
  for (; i + 8 <= n && room >= 8; i += 8) {
    u64 f;
    __builtin_memcpy(&f, flags + i, sizeof f);
    const __m256i low = load(v + i);
    const __m256i high = load(v + i + 4);
    if (f == kAllSet) {  // many filters take almost all
      store(out, low);
      store(out + 4, high);
      out += 8;
      room -= 8;
      continue;
    }
    const u64 m = _pext_u64(f, kAllSet);
    const int first = __builtin_popcountll(m & 15);
    store(out, packed(doubled(m & 15), low));
    store(out + first, packed(doubled(m >> 4), high));
    const int taken = __builtin_popcountll(f);
    out += taken;
    room -= taken;
  }
  return compress_plain(v + i, flags + i, n - i, out, room);
}
inline u32* compress_vector(const u32* v, const u8* flags, i64 n, u32* out, i64 room) {
  i64 i = 0;
  for (; i + 8 <= n && room >= 8; i += 8) {
    u64 f;
    __builtin_memcpy(&f, flags + i, sizeof f);
    __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v + i));
    if (f != kAllSet) x = packed(_pext_u64(f, kAllSet), x);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), x);
    const int taken = __builtin_popcountll(f);
    out += taken;
    room -= taken;
  }
  return compress_plain(v + i, flags + i, n - i, out, room);
}
#endif
#if NVM_VECTOR_BYTES >= 32
inline u8* compress_vector(const u8* v, const u8* flags, i64 n, u8* out, i64 room) {
  i64 i = 0;
  for (; i + 8 <= n && room >= 8; i += 8) {
    u64 f;
    u64 x;
    __builtin_memcpy(&f, flags + i, sizeof f);
    __builtin_memcpy(&x, v + i, sizeof x);
    x = _pext_u64(x, f * 255);
    __builtin_memcpy(out, &x, sizeof x);
    const int taken = __builtin_popcountll(f);
    out += taken;
    room -= taken;
  }
  return compress_plain(v + i, flags + i, n - i, out, room);
}
#endif

// Moves the flagged of v[0..n) to out, in order, and writes nothing at or behind out + room, which is at
// least their number; gives the place behind the last.
template <typename E>
E* compress(const E* v, const u8* flags, i64 n, E* out, i64 room) {
#if NVM_VECTOR_BYTES >= 32
  return compress_vector(v, flags, n, out, room);
#else
  return compress_plain(v, flags, n, out, room);
#endif
}

}  // namespace

}  // namespace nvm::vm::simd
