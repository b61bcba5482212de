// Reductions of many short segments of 8-byte elements, each from left to right: eight segments at a time, a
// lane each. Eight elements of every segment are loaded as a row, the rows transposed, and the columns
// combined into the lanes whose segments are that long. There is a branch for every eight segments, on the
// longest of them, and none on the length of each. Per eight columns: 8 loads, 24 shuffles, 8 combinations;
// half of the lanes idle where lengths scatter from 0 to 20. TRIED eight streams of whole segments, a lane
// each: no lane idles, but to find where segments end takes twice the time.
#pragma once

#include "vm/simd/transpose.h"

#if NVM_VECTOR_BYTES == 64

#include <algorithm>

#include "vm/simd/fold_ops.h"
#include "vm/simd/octet.h"
#include "vm/simd/reduce_tree.h"

namespace nvm::vm::simd {

namespace {

template <typename Op, typename T>
class ShortRows {
 public:
  // Element i of segment k, offsets[k] <= i < offsets[k + 1], is v[i]. Elements before `readable` may be read
  // whosever they are.
  ShortRows(const T* v, const i64* offsets, i64 readable) : v_(v), offsets_(offsets), readable_(readable) {}

  // out[k] of short segments from number k on, below `last`, that start before element `end` and end there or
  // before; gives the first that is not such a one.
  i64 reduce(i64 k, i64 last, T* out, i64 end = INT64_MAX) const {
    for (; k + 8 <= last; k += 8) {
      const Eight segments(offsets_ + k, 8);
      if (segments.refused(end) != 0) break;
      const int columns = segments.columns();
      if (offsets_[k + 7] + columns > readable_) break;
      columns <= 4 ? few(offsets_ + k, segments.length, out + k)
                   : whole(offsets_ + k, segments.length, columns, out + k);
    }
    while (k < last) {
      const i64 taken = some(k, std::min<i64>(last - k, 8), out, end);
      if (taken == 0) break;
      k += taken;
    }
    return k;
  }

 private:
  using V = typename Octet<T>::V;
  static constexpr i64 kAhead = 512;  // elements; what is asked for before it is used

  struct Eight {
    // `count` of them; the others are empty.
    Eight(const i64* offsets, i64 count) : lanes(static_cast<__mmask8>((1U << count) - 1)) {
      start = _mm512_maskz_loadu_epi64(lanes, offsets);
      stop = _mm512_maskz_loadu_epi64(lanes, offsets + 1);
      length = _mm512_sub_epi64(stop, start);
    }
    // Those that are long or not wholly before `end`.
    [[nodiscard]] u32 refused(i64 end) const {
      const __m512i limit = _mm512_set1_epi64(end);
      return static_cast<u32>(_mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(kSequentialMax)) |
                              _mm512_cmpgt_epi64_mask(stop, limit) |
                              _mm512_mask_cmpge_epi64_mask(lanes, start, limit));
    }
    // What the longest takes: 4, or a multiple of 8.
    [[nodiscard]] int columns() const {
      const auto longer = [&](i64 n) { return _mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(n)) != 0; };
      if (!longer(4)) return 4;
      return 8 + 8 * longer(8) + 8 * longer(16) + 8 * longer(24);
    }
    __mmask8 lanes;
    __m512i start, stop, length;
  };

  static V identity() { return Octet<T>::all(Op::template identity<T>()).x; }
  // Takes column number c, counted as `length` is.
  static V step(V acc, __m512d column, __m512i length, i64 c) {
    const __mmask8 here = _mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(c));
    return V(_mm512_mask_mov_pd(__m512d(acc), here, __m512d(Op::apply(acc, V(column)))));
  }
  static V eight_columns(V acc, const __m512d* row, __m512i length) {
    __m512d column[8];
    transpose(row, column);
#pragma GCC unroll 8
    for (int c = 0; c < 8; ++c) acc = step(acc, column[c], length, c);
    return acc;
  }

  // Where to ask for what is used later, if that is known to be memory.
  [[nodiscard]] const T* ahead(i64 at) const { return v_ + (at + kAhead < readable_ ? at + kAhead : at); }

  void whole(const i64* start, __m512i length, int columns, T* out) const {
    V acc = identity();
    const T* const next = ahead(start[0]);
    for (int p = 0; p < columns; p += 8) {
      __m512d row[8];
#pragma GCC unroll 8
      for (int r = 0; r < 8; ++r) row[r] = _mm512_loadu_pd(v_ + start[r] + p);
#pragma GCC unroll 5
      for (int line = 0; line < 5; ++line) __builtin_prefetch(next + 5 * p + 8 * line);
      acc = eight_columns(acc, row, length);
      length = _mm512_sub_epi64(length, _mm512_set1_epi64(8));
    }
    _mm512_storeu_pd(out, __m512d(acc));
  }

  // Segments of up to four elements: rows r and r + 4 share a vector.
  void few(const i64* start, __m512i length, T* out) const {
    __m512d row[4];
    const auto four = [&](int r) { return _mm256_loadu_pd(reinterpret_cast<const f64*>(v_ + start[r])); };
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) row[r] = _mm512_insertf64x4(_mm512_castpd256_pd512(four(r)), four(r + 4), 1);
    __builtin_prefetch(ahead(start[0]));
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    const __m512d even01 = _mm512_unpacklo_pd(row[0], row[1]);
    const __m512d odd01 = _mm512_unpackhi_pd(row[0], row[1]);
    const __m512d even23 = _mm512_unpacklo_pd(row[2], row[3]);
    const __m512d odd23 = _mm512_unpackhi_pd(row[2], row[3]);
    V acc = step(identity(), _mm512_permutex2var_pd(even01, low, even23), length, 0);
    acc = step(acc, _mm512_permutex2var_pd(odd01, low, odd23), length, 1);
    acc = step(acc, _mm512_permutex2var_pd(even01, high, even23), length, 2);
    acc = step(acc, _mm512_permutex2var_pd(odd01, high, odd23), length, 3);
    _mm512_storeu_pd(out, __m512d(acc));
  }

  // The first of `count` segments, up to one that is refused; reads nobody else's elements, nor touches pages
  // without memory: a load of no lane at all takes hundreds of cycles there. Gives how many.
  i64 some(i64 k, i64 count, T* out, i64 end) const {
    const u32 refused = Eight(offsets_ + k, count).refused(end);
    if (refused != 0) count = __builtin_ctz(refused);
    if (count == 0) return 0;
    const Eight segments(offsets_ + k, count);
    V acc = identity();
    const int columns = segments.columns();
    for (int p = 0; p < columns; p += 8) {
      __m512d row[8];
      for (i64 r = 0; r < 8; ++r) {
        const i64 left = r < count ? offsets_[k + r + 1] - offsets_[k + r] - p : 0;
        const i64 at = left > 0 ? offsets_[k + r] + p : offsets_[k];  // memory that is there
        row[r] =
            _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << std::clamp<i64>(left, 0, 8)) - 1), v_ + at);
      }
      acc = eight_columns(acc, row, _mm512_sub_epi64(segments.length, _mm512_set1_epi64(p)));
    }
    _mm512_mask_storeu_pd(out + k, segments.lanes, __m512d(acc));
    return count;
  }

  const T* v_;
  const i64* offsets_;
  i64 readable_;
};

}  // namespace

}  // namespace nvm::vm::simd

#endif
