// Squares of 8 x 8: of 8-byte elements (AVX-512) and of bits.
#pragma once

#include "vm/simd/vectors.h"

#if NVM_VECTOR_BYTES == 64

#include <immintrin.h>

namespace nvm::vm::simd {

namespace {

// Lane r of c[i] is lane i of row[r].
inline void transpose(const __m512d* row, __m512d* c) {
  __m512d t[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm512_unpacklo_pd(row[i], row[i + 1]);      // lanes 0 2 4 6 of two rows
    t[i + 1] = _mm512_unpackhi_pd(row[i], row[i + 1]);  // lanes 1 3 5 7
  }
#pragma GCC unroll 2
  for (int odd = 0; odd < 2; ++odd) {
    const __m512d low02 = _mm512_shuffle_f64x2(t[odd], t[2 + odd], 0x88);
    const __m512d low46 = _mm512_shuffle_f64x2(t[odd], t[2 + odd], 0xDD);
    const __m512d high02 = _mm512_shuffle_f64x2(t[4 + odd], t[6 + odd], 0x88);
    const __m512d high46 = _mm512_shuffle_f64x2(t[4 + odd], t[6 + odd], 0xDD);
    c[odd] = _mm512_shuffle_f64x2(low02, high02, 0x88);
    c[4 + odd] = _mm512_shuffle_f64x2(low02, high02, 0xDD);
    c[2 + odd] = _mm512_shuffle_f64x2(low46, high46, 0x88);
    c[6 + odd] = _mm512_shuffle_f64x2(low46, high46, 0xDD);
  }
}

// Bit r of byte i is bit i of byte r.
inline u64 transpose_bits(u64 x) {
  u64 t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AA;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCC;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0;
  return x ^ t ^ (t << 28);
}

}  // namespace

}  // namespace nvm::vm::simd

#endif
