// Exclusive scans of many short segments of 8-byte elements at a time, each from left to right, without a
// branch on their lengths: a batch of segments is cut into eight streams, a lane each. Eight elements of
// every stream are loaded, transposed, combined step by step (a lane starts anew where a segment does),
// transposed back and stored. Per 64 elements: 64 vector moves of elements and 8 combinations; TRIED gathers
// for the steps (no better). Reductions have no results to transpose back: short_rows.h.
#pragma once

#include "vm/simd/transpose.h"

#if NVM_VECTOR_BYTES == 64

#include <algorithm>
#include <cstring>

#include "vm/simd/fold_ops.h"
#include "vm/simd/octet.h"
#include "vm/simd/reduce_tree.h"

namespace nvm::vm::simd {

namespace {

constexpr i64 kStream = 256;  // elements of a stream at most

// How many of `count` segments, from the first on, are short, have at most `most` elements together, and end
// at or before element `end`.
inline i64 short_run(const i64* offsets, i64 count, i64 most, i64 end) {
  const i64 limit = std::min(offsets[0] + most, end);
  i64 k = 0;
  for (; k + 8 <= count && offsets[k + 8] <= limit; k += 8) {
    const __m512i length =
        _mm512_sub_epi64(_mm512_loadu_si512(offsets + k + 1), _mm512_loadu_si512(offsets + k));
    const u32 longer = _mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(kSequentialMax));
    if (longer != 0) return k + __builtin_ctz(longer);
  }
  while (k < count && offsets[k + 1] - offsets[k] <= kSequentialMax && offsets[k + 1] <= limit) ++k;
  return k;
}

// One bit per byte of eight that are 0 or 1.
inline u64 bits_of(const u8* flags) {
  u64 bytes;
  std::memcpy(&bytes, flags, sizeof bytes);
  return _pext_u64(bytes, 0x0101010101010101);
}

template <typename Op, typename T>
class ShortSegments {
 public:
  // Element i of segment k, offsets[k] <= i < offsets[k + 1], is v[i]; results go to out[i], and out may be
  // v. `stream`: elements of a stream at most, up to kStream; an eighth of what is taken at a time if that is
  // little.
  ShortSegments(const T* v, const i64* offsets, T* out, i64 stream = kStream)
      : v_(v), offsets_(offsets), out_(out), stream_(stream) {}

  // Takes short segments from number k on, at most `count`, that start before element `end` and end there or
  // before; gives how many. None: segment k is not such a one.
  i64 take(i64 k, i64 count, i64 end = INT64_MAX) {
    i64 run = short_run(offsets_ + k, count, stream_, end);
    while (run > 0 && offsets_[k + run - 1] >= end) --run;
    if (run == 0) return 0;
    u8* starts = starts_[used_];
    std::memset(starts, 0, sizeof starts_[0]);
    const i64 base = offsets_[k];
    for (i64 j = k; j <= k + run; ++j) starts[offsets_[j] - base] = 1;
    at_[used_] = base;
    length_[used_] = offsets_[k + run] - base;
    if (++used_ == 8) finish();
    return run;
  }
  // Computes what has been taken.
  void finish() {
    if (used_ == 0) return;
    i64 least = used_ == 8 ? kStream : 0;
    i64 most = 0;
    next_ = at_[used_ - 1] + length_[used_ - 1];
    for (int r = 0; r < 8; ++r) {
      if (r >= used_) {  // reads nothing, but where there is memory: elsewhere that takes hundreds of cycles
        at_[r] = at_[0];
        length_[r] = 0;
      }
      least = std::min(least, length_[r]);
      most = std::max(most, length_[r]);
    }
    acc_ = __m512d(identity());
    i64 p = 0;
    for (; p + 8 <= least; p += 8) block<true>(p);
    for (; p < most; p += 8) block<false>(p);
    used_ = 0;
  }

 private:
  using V = typename Octet<T>::V;

  static V identity() { return Octet<T>::all(Op::template identity<T>()).x; }
  static u32 lanes(i64 left) { return (1U << std::clamp<i64>(left, 0, 8)) - 1; }

  // Elements p..p+7 of every stream; some end sooner unless kWhole.
  template <bool kWhole>
  void block(i64 p) {
    __m512d row[8];
    __m512d column[8];
    u64 begins = 0;
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r) {
      const T* from = v_ + at_[r] + p;
      const auto here = static_cast<__mmask8>(lanes(length_[r] - p));
      row[r] = kWhole ? _mm512_loadu_pd(from) : _mm512_maskz_loadu_pd(here, from);
      begins |= bits_of(starts_[r] + p) << 8 * r;
      __builtin_prefetch(v_ + next_ + 8 * (p + r));
      __builtin_prefetch(out_ + next_ + 8 * (p + r), 1);
    }
    transpose(row, column);
    begins = transpose_bits(begins);
#pragma GCC unroll 8
    for (int c = 0; c < 8; ++c) {
      const auto anew = static_cast<__mmask8>(begins >> 8 * c);
      const __m512d before = _mm512_mask_mov_pd(acc_, anew, __m512d(identity()));
      acc_ = __m512d(Op::apply(V(before), V(column[c])));
      column[c] = before;
    }
    transpose(column, row);
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r) {
      T* to = out_ + at_[r] + p;
      if constexpr (kWhole)
        _mm512_storeu_pd(to, row[r]);
      else
        _mm512_mask_storeu_pd(to, static_cast<__mmask8>(lanes(length_[r] - p)), row[r]);
    }
  }

  const T* v_;
  const i64* offsets_;
  T* out_;
  i64 stream_;
  i64 next_;  // the element behind the last stream
  __m512d acc_;
  int used_ = 0;                // streams
  i64 at_[8], length_[8];       // their elements
  u8 starts_[8][kStream + 16];  // 1: a segment starts here
};

}  // namespace

}  // namespace nvm::vm::simd

#endif
