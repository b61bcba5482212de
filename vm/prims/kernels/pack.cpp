// Counting and moving flagged elements, and the generators of runs and copies.
//
// compress: flags are read once more than by the count (n bytes), elements once, results written once.
// AVX-512 compresses in registers and stores whole vectors where there is room, because the storing form of
// the instruction is slow on some processors.
#include "vm/prims/kernels/isa.h"
#if NVM_VECTOR_BYTES == 64
#include <immintrin.h>
#endif

namespace nvm::vm::kernels::NVM_ISA {

namespace {

i64 count(const u8* flags, i64 n) {
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
void compress_plain(const E* v, const u8* flags, E* out, i64 room) {
  i64 j = 0;
  for (i64 i = 0; j < room; ++i) {
    out[j] = v[i];
    j += flags[i];
  }
}

#if NVM_VECTOR_BYTES == 64
void compress_vector(const u32* v, const u8* flags, i64 n, u32* out, i64 room) {
  i64 i = 0;
  for (; i + 16 <= n && room >= 16; i += 16) {
    const __m128i f = _mm_loadu_si128(reinterpret_cast<const __m128i*>(flags + i));
    const __mmask16 m = _mm_test_epi8_mask(f, f);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(m, _mm512_loadu_si512(v + i)));
    const int taken = __builtin_popcount(m);
    out += taken;
    room -= taken;
  }
  compress_plain(v + i, flags + i, out, room);
}
void compress_vector(const u64* v, const u8* flags, i64 n, u64* out, i64 room) {
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
  compress_plain(v + i, flags + i, out, room);
}
#endif

template <typename E>
void compress(const void* pv, const u8* flags, [[maybe_unused]] i64 n, void* pout, i64 room) {
  const E* v = static_cast<const E*>(pv);
  E* out = static_cast<E*>(pout);
#if NVM_VECTOR_BYTES == 64
  if constexpr (sizeof(E) > 1) {
    compress_vector(v, flags, n, out, room);
    return;
  }
#endif
  compress_plain(v, flags, out, room);
}

template <typename T>
void iota(i64 from, i64 step, i64 n, void* pout) {
  using U = typename Unsigned<T>::type;
  T* out = static_cast<T*>(pout);
  const U first = static_cast<U>(from);
  const U by = static_cast<U>(step);
  for (i64 i = 0; i < n; ++i) out[i] = static_cast<T>(first + by * static_cast<U>(i));
}

template <typename E>
void dist(const void* px, Segments s, i64 k0, i64 k1, void* pout) {
  const E* x = static_cast<const E*>(px);
  E* out = static_cast<E*>(pout);
  i64 at = s.start(k0);
  for (i64 k = k0; k < k1; ++k) {
    const i64 end = s.start(k + 1);
    const E value = x[k];
    for (; at < end; ++at) out[at] = value;
  }
}

}  // namespace

void fill_pack(Table& t) {
  t.count = count;
  t.compress[0] = compress<u8>;
  t.compress[1] = compress<u32>;
  t.compress[2] = compress<u64>;
  t.iota[0] = iota<i32>;
  t.iota[1] = iota<i64>;
  t.dist[0] = dist<u8>;
  t.dist[1] = dist<u32>;
  t.dist[2] = dist<u64>;
}

}  // namespace nvm::vm::kernels::NVM_ISA
