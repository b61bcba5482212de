// With AVX2, which has no instruction for it: lanes of a register packed to the front by a mask, by a table
// of their numbers.
#pragma once

#include "vm/simd/vectors.h"
#if NVM_VECTOR_BYTES == 32
#include <immintrin.h>

namespace nvm::vm::simd {

namespace {

// For a mask of eight lanes of 32 bits the numbers of those that it has, in order, a byte each.
struct LaneOrders {
  u64 flagged[256];
  constexpr LaneOrders() : flagged{} {
    for (u32 m = 0; m < 256; ++m) {
      u32 taken = 0;
      for (u32 lane = 0; lane < 8; ++lane)
        if ((m >> lane & 1) != 0) flagged[m] |= u64{lane} << (8 * taken++);
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

}  // namespace

}  // namespace nvm::vm::simd
#endif
