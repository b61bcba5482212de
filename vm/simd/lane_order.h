// With AVX2, which has no instructions for it: lanes of a register packed to the front by a mask, and spread
// from there to the places of a mask, by tables of their numbers.
#pragma once

#include "vm/simd/vectors.h"
#if NVM_VECTOR_BYTES == 32
#include <immintrin.h>

namespace nvm::vm::simd {

namespace {

// For a mask of eight lanes of 32 bits, a byte for each lane: `flagged` has the numbers of those that the
// mask has, in order, `before` how many of them stand before each.
struct LaneOrders {
  u64 flagged[256];
  u64 before[256];
  constexpr LaneOrders() : flagged{}, before{} {
    for (u32 m = 0; m < 256; ++m) {
      u32 taken = 0;
      for (u32 lane = 0; lane < 8; ++lane) {
        before[m] |= u64{taken} << (8 * lane);
        if ((m >> lane & 1) != 0) flagged[m] |= u64{lane} << (8 * taken++);
      }
    }
  }
};
constexpr LaneOrders kLaneOrders;

// Of a mask of four lanes of 64 bits, that of eight.
inline u64 doubled(u64 m) { return _pdep_u64(m, 0x55) * 3; }

inline __m256i lanes_by(u64 order, __m256i v) {
  return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<i64>(order))));
}
// The lanes of m to the front; what stands behind them is unspecified.
inline __m256i packed(u64 m, __m256i v) { return lanes_by(kLaneOrders.flagged[m], v); }
// The first lanes of v where m says, those of `old` elsewhere.
inline __m256i expanded(u64 m, __m256i v, __m256i old) {
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i taken =
      _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<i32>(m)), bits), bits);
  return _mm256_blendv_epi8(old, lanes_by(kLaneOrders.before[m], v), taken);
}

}  // namespace

}  // namespace nvm::vm::simd
#endif
