// Counting and moving flagged elements.
//
// compress: flags are read once more than by the count (n bytes), elements once, results written once.
// AVX-512 compresses in registers and stores whole vectors where there is room, because the storing form of
// the instruction is slow on some processors.
#include "vm/prims/kernels/isa.h"
#if NVM_VECTOR_BYTES >= 32
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
#elif NVM_VECTOR_BYTES == 32
// For a mask of four flags: the 32-bit lanes of the flagged 64-bit elements, in order.
struct LaneTable {
  i32 lanes[16][8];
  constexpr LaneTable() : lanes{} {
    for (int m = 0; m < 16; ++m) {
      int to = 0;
      for (int from = 0; from < 4; ++from) {
        if ((m >> from & 1) == 0) continue;
        lanes[m][to++] = 2 * from;
        lanes[m][to++] = 2 * from + 1;
      }
    }
  }
};
constexpr LaneTable kLaneTable;

void compress_vector(const u64* v, const u8* flags, i64 n, u64* out, i64 room) {
  i64 i = 0;
  for (; i + 4 <= n && room >= 4; i += 4) {
    u32 f;
    __builtin_memcpy(&f, flags + i, sizeof f);
    const u32 m = _pext_u32(f, 0x01010101);
    const __m256i lanes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kLaneTable.lanes[m]));
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v + i));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(x, lanes));
    const int taken = __builtin_popcount(m);
    out += taken;
    room -= taken;
  }
  compress_plain(v + i, flags + i, out, room);
}
// A mask of eight flags spread over eight lanes: the numbers of the flagged ones.
void compress_vector(const u32* v, const u8* flags, i64 n, u32* out, i64 room) {
  constexpr u64 kNumbers = 0x0706050403020100;
  i64 i = 0;
  for (; i + 8 <= n && room >= 8; i += 8) {
    u64 f;
    __builtin_memcpy(&f, flags + i, sizeof f);
    const u64 lanes = _pext_u64(kNumbers, f * 255);
    const __m256i from = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<i64>(lanes)));
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(v + i));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(x, from));
    const int taken = __builtin_popcountll(f);
    out += taken;
    room -= taken;
  }
  compress_plain(v + i, flags + i, out, room);
}
#endif
#if NVM_VECTOR_BYTES >= 32
void compress_vector(const u8* v, const u8* flags, i64 n, u8* out, i64 room) {
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
  compress_plain(v + i, flags + i, out, room);
}
#endif

template <typename E>
void compress(const void* pv, const u8* flags, [[maybe_unused]] i64 n, void* pout, i64 room) {
  const E* v = static_cast<const E*>(pv);
  E* out = static_cast<E*>(pout);
#if NVM_VECTOR_BYTES >= 32
  compress_vector(v, flags, n, out, room);
#else
  compress_plain(v, flags, out, room);
#endif
}

// Flags of one short segment.
#if NVM_VECTOR_BYTES == 64
constexpr i64 kShort = 64;
i64 count_short(const u8* flags, i64 n) {
  const __mmask64 m = _bzhi_u64(~u64{0}, static_cast<u32>(n));
  const __m512i f = _mm512_maskz_loadu_epi8(m, flags);
  return __builtin_popcountll(_mm512_test_epi8_mask(f, f));
}
#else
constexpr i64 kShort = 16;
i64 count_short(const u8* flags, i64 n) {
  i64 sum = 0;
  for (i64 i = 0; i < n; ++i) sum += flags[i];
  return sum;
}
#endif

template <typename T>
void count_segments(const u8* flags, Segments s, i64 k0, i64 k1, void* pout) {
  T* out = static_cast<T*>(pout);
  i64 start = s.start(k0);
  for (i64 k = k0; k < k1; ++k) {
    const i64 end = s.start(k + 1);
    const i64 n = end - start;
    out[k] = static_cast<T>(n <= kShort ? count_short(flags + start, n) : count(flags + start, n));
    start = end;
  }
}

}  // namespace

void fill_pack(Table& t) {
  t.count = count;
  t.compress[0] = compress<u8>;
  t.compress[1] = compress<u32>;
  t.compress[2] = compress<u64>;
  t.count_segments[0] = count_segments<i32>;
  t.count_segments[1] = count_segments<i64>;
}

}  // namespace nvm::vm::kernels::NVM_ISA
