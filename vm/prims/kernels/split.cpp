// Permutations that split: ascending places below a bound and ascending places from it on, interleaved. What
// parting a vector by flags gives. Indices, elements and results are read and written once, in order.
#include "vm/prims/kernels/isa.h"
#if NVM_VECTOR_BYTES == 64
#include <immintrin.h>
#endif

namespace nvm::vm::kernels::NVM_ISA {

namespace {

template <typename Idx>
i64 below(const void* pidx, i64 n, i64 bound) {
  const Idx* idx = static_cast<const Idx*>(pidx);
  i64 count = 0;
  for (i64 i = 0; i < n; ++i) count += idx[i] < bound;
  return count;
}

#if NVM_VECTOR_BYTES == 64
// The elements at `v` that `m` selects to `low`, the others to `high`.
inline void part(const u32* v, __mmask16 m, u32* low, u32* high) {
  const __m512i x = _mm512_loadu_si512(v);
  const u32 count = static_cast<u32>(__builtin_popcount(m));
  const auto rest = static_cast<__mmask16>(~m);
  _mm512_mask_storeu_epi32(low, static_cast<__mmask16>(_bzhi_u32(0xffff, count)),
                           _mm512_maskz_compress_epi32(m, x));
  _mm512_mask_storeu_epi32(high, static_cast<__mmask16>(_bzhi_u32(0xffff, 16 - count)),
                           _mm512_maskz_compress_epi32(rest, x));
}
inline void part(const u64* v, __mmask16 m, u64* low, u64* high) {
  for (int half = 0; half < 2; ++half) {
    const auto in = static_cast<__mmask8>(m >> (8 * half));
    const auto rest = static_cast<__mmask8>(~in);
    const __m512i x = _mm512_loadu_si512(v + 8 * half);
    const u32 count = static_cast<u32>(__builtin_popcount(in));
    _mm512_mask_storeu_epi64(low, static_cast<__mmask8>(_bzhi_u32(0xff, count)),
                             _mm512_maskz_compress_epi64(in, x));
    _mm512_mask_storeu_epi64(high, static_cast<__mmask8>(_bzhi_u32(0xff, 8 - count)),
                             _mm512_maskz_compress_epi64(rest, x));
    low += count;
    high += 8 - count;
  }
}

// Sixteen at a time; stops before the first sixteen that do not fit. Moves `low` and `high` on.
template <typename E>
i64 split_vectors(const E* v, const i32* idx, i64 n, i64 bound, i64& low, i64& high, E* out) {
  const __m512i limit = _mm512_set1_epi32(static_cast<i32>(bound));
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  i64 i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i x = _mm512_loadu_si512(idx + i);
    const __mmask16 m = _mm512_cmplt_epi32_mask(x, limit);
    const __m512i lows = _mm512_add_epi32(_mm512_set1_epi32(static_cast<i32>(low)), lanes);
    const __m512i highs = _mm512_add_epi32(_mm512_set1_epi32(static_cast<i32>(high)), lanes);
    const __m512i wanted =
        _mm512_mask_expand_epi32(_mm512_maskz_expand_epi32(static_cast<__mmask16>(~m), highs), m, lows);
    if (_mm512_cmpneq_epi32_mask(x, wanted) != 0) break;
    part(v + i, m, out + low, out + high);
    const i64 count = __builtin_popcount(m);
    low += count;
    high += 16 - count;
  }
  return i;
}
#endif

template <typename E, typename Idx>
i64 split(const void* pv, const void* pidx, i64 n, i64 bound, i64 low, i64 high, void* pout) {
  const E* v = static_cast<const E*>(pv);
  const Idx* idx = static_cast<const Idx*>(pidx);
  E* out = static_cast<E*>(pout);
  i64 i = 0;
#if NVM_VECTOR_BYTES == 64
  if constexpr (sizeof(Idx) == 4 && sizeof(E) >= 4) i = split_vectors(v, idx, n, bound, low, high, out);
#endif
  for (; i < n; ++i) {
    const bool is_low = idx[i] < bound;
    const i64 place = is_low ? low : high;
    if (idx[i] != place) return i;
    out[place] = v[i];
    low += is_low ? 1 : 0;
    high += is_low ? 0 : 1;
  }
  return n;
}

template <typename Idx>
void set(Table& t, int index) {
  t.below[index] = below<Idx>;
  t.split[0][index] = split<u8, Idx>;
  t.split[1][index] = split<u32, Idx>;
  t.split[2][index] = split<u64, Idx>;
}

}  // namespace

void fill_split(Table& t) {
  set<i32>(t, 0);
  set<i64>(t, 1);
}

}  // namespace nvm::vm::kernels::NVM_ISA
