// Runs that are put together: where they belong, and moving them there. Most are short and of varying
// lengths, so lengths cost no branches.
#include "vm/prims/kernels/isa.h"
#include "vm/simd/short_copy.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

constexpr i64 kBlock = 128;  // segments

// n lengths, every kEach-th from j on. kEach: 0 for any number.
template <i64 kEach, typename L>
void load_every(const L* from, i64 each, i64 n, i64* __restrict out) {
  const i64 step = kEach > 0 ? kEach : each;
  for (i64 i = 0; i < n; ++i) out[i] = static_cast<i64>(from[i * step]);
}
template <i64 kEach>
void load_lengths(SegmentLengths s, i64 j, i64 each, i64 n, i64* __restrict out) {
  if (s.lengths == nullptr) {
    for (i64 i = 0; i < n; ++i) out[i] = s.length;
  } else if (s.narrow) {
    load_every<kEach>(static_cast<const i32*>(s.lengths) + j, each, n, out);
  } else {
    load_every<kEach>(static_cast<const i64*>(s.lengths) + j, each, n, out);
  }
}

// Lengths of runs, and where they begin in their segments, of n segments from k on.
template <i64 kEach>
void load_runs(const RunSlot& slot, i64 k, i64 n, i64* __restrict length, i64* __restrict first) {
  const i64 j = k * slot.each + slot.index;
  load_lengths<kEach>(slot.runs, j, slot.each, n, length);
  if (slot.narrow)
    load_every<kEach>(static_cast<const i32*>(slot.first) + j, slot.each, n, first);
  else
    load_every<kEach>(static_cast<const i64*>(slot.first) + j, slot.each, n, first);
}

// Puts one run behind the others in each of n segments, which are filled up to `filled`; not 0 if one begins
// elsewhere.
i64 lay_slot(const i64* __restrict length, const i64* __restrict first, const i64* __restrict to, i64 n,
             i64* __restrict filled, i64* __restrict places) {
  i64 wrong = 0;
  for (i64 i = 0; i < n; ++i) {
    const i64 some = length[i] > 0 ? -1 : 0;
    wrong |= (first[i] ^ filled[i]) & some;
    places[i] = (to[i] + filled[i]) & some;
    filled[i] += length[i];
  }
  return wrong;
}

void interleave(const i64* __restrict a, const i64* __restrict b, i64 n, i64* __restrict out) {
  for (i64 i = 0; i < n; ++i) {
    out[2 * i] = a[i];
    out[2 * i + 1] = b[i];
  }
}

// Places of the runs of n segments from k on, as lay_slot() gave them for each slot.
void store_places(const RunSlot* slots, i64 count, const i64 (*places)[kBlock], i64 k, i64 n) {
  for (i64 s = 0; s < count; ++s) {
    const RunSlot& slot = slots[s];
    i64* out = slot.places + k * slot.each;
    if (slot.each == 1) {
      __builtin_memcpy(out, places[s], static_cast<u64>(n) * sizeof(i64));
    } else if (slot.each == 2 && slot.index == 0) {
      for (i64 other = 0; other < count; ++other)
        if (slots[other].places == slot.places && slots[other].index == 1)
          interleave(places[s], places[other], n, out);
    } else if (slot.each > 2) {
      for (i64 i = 0; i < n; ++i) out[i * slot.each + slot.index] = places[s][i];
    }
  }
}

bool lay_runs(const RunSlot* slots, i64 count, SegmentLengths dest, const i64* to, i64 segments) {
  i64 length[kBlock], first[kBlock], filled[kBlock], places[kMostSlots][kBlock];
  i64 wrong = 0;
  for (i64 k = 0; k < segments; k += kBlock) {
    const i64 n = segments - k < kBlock ? segments - k : kBlock;
    for (i64 i = 0; i < n; ++i) filled[i] = 0;
    for (i64 s = 0; s < count; ++s) {
      switch (slots[s].each) {
        case 1: load_runs<1>(slots[s], k, n, length, first); break;
        case 2: load_runs<2>(slots[s], k, n, length, first); break;
        default: load_runs<0>(slots[s], k, n, length, first); break;
      }
      wrong |= lay_slot(length, first, to + k, n, filled, places[s]);
    }
    load_lengths<1>(dest, k, 1, n, length);
    for (i64 i = 0; i < n; ++i) wrong |= filled[i] ^ length[i];
    store_places(slots, count, places, k, n);
  }
  return wrong == 0;
}

bool runs_fill(SegmentLengths runs, i64 each, SegmentLengths s, i64 segments) {
  i64 length[kBlock], sum[kBlock];
  i64 wrong = 0;
  for (i64 k = 0; k < segments; k += kBlock) {
    const i64 n = segments - k < kBlock ? segments - k : kBlock;
    load_lengths<1>(s, k, 1, n, sum);
    for (i64 i = 0; i < each; ++i) {
      if (each == 2)
        load_lengths<2>(runs, k * each + i, each, n, length);
      else
        load_lengths<0>(runs, k * each + i, each, n, length);
      for (i64 j = 0; j < n; ++j) sum[j] -= length[j];
    }
    for (i64 j = 0; j < n; ++j) wrong |= sum[j];
  }
  return wrong == 0;
}

#if NVM_VECTOR_BYTES == 64
__m512i lengths_of(SegmentLengths s, i64 k, __mmask8 in) {
  if (s.lengths == nullptr) return _mm512_maskz_set1_epi64(in, s.length);
  if (s.narrow)
    return _mm512_cvtepi32_epi64(_mm256_maskz_loadu_epi32(in, static_cast<const i32*>(s.lengths) + k));
  return _mm512_maskz_loadu_epi64(in, static_cast<const i64*>(s.lengths) + k);
}

bool places_of_some(SegmentLengths s, i64 count, const i64* places, SegmentLengths dest, i64 n, i64* out) {
  u64 wrong = 0;
  i64 at = 0;
  for (i64 k = 0; k < count; k += 8) {
    const auto in = static_cast<__mmask8>(_bzhi_u64(255, static_cast<u32>(count - k < 8 ? count - k : 8)));
    const __m512i length = lengths_of(s, k, in);
    const __mmask8 some = _mm512_test_epi64_mask(length, length);
    const i64 kept = __builtin_popcountll(some);
    if (at + kept > n) return false;
    const auto low = static_cast<__mmask8>(_bzhi_u64(255, static_cast<u32>(kept)));
    wrong |= _mm512_cmpneq_epi64_mask(_mm512_maskz_compress_epi64(some, length), lengths_of(dest, at, low));
    _mm512_mask_storeu_epi64(out + at, low,
                             _mm512_maskz_compress_epi64(some, _mm512_maskz_loadu_epi64(in, places + k)));
    at += kept;
  }
  return wrong == 0 && at == n;
}
#else
i64 length_of(SegmentLengths s, i64 k) {
  if (s.lengths == nullptr) return s.length;
  return s.narrow ? static_cast<const i32*>(s.lengths)[k] : static_cast<const i64*>(s.lengths)[k];
}

bool places_of_some(SegmentLengths s, i64 count, const i64* places, SegmentLengths dest, i64 n, i64* out) {
  bool right = true;
  i64 at = 0, nowhere = 0;
  for (i64 k = 0; k < count; ++k) {
    const i64 length = length_of(s, k);
    const i64 some = length > 0 ? 1 : 0;
    if (at + some > n) return false;
    *(some > 0 ? out + at : &nowhere) = places[k];
    right &= some == 0 || length == length_of(dest, at);
    at += some;
  }
  return right && at == n;
}
#endif

// Runs of at most one element. An empty one stores what lies there, or before, to where it does not matter: a
// store of nothing to memory that was never touched would be slow, and a branch would be guessed wrong.
template <typename E, typename L>
i64 put_single(const E* v, i64 start, i64 total, const L* length, i64 n, const i64* places, E* out) {
  E nowhere[1];
  const u64 here = reinterpret_cast<u64>(nowhere);
  for (i64 k = 0; k < n; ++k) {
    const u64 some = -static_cast<u64>(length[k]);  // all bits or none
    const u64 there = reinterpret_cast<u64>(out + places[k]);
    *reinterpret_cast<E*>(here ^ ((here ^ there) & some)) = v[start < total ? start : total - 1];
    start += static_cast<i64>(length[k]);
  }
  return start;
}

template <typename E, typename L>
void put_runs_of(const E* v, const L* lengths, i64 count, i64 total, const i64* places, E* out) {
  constexpr i64 kTogether = 16;
  u8 nowhere[64];
  i64 start = 0;
  for (i64 k = 0; k < count; k += kTogether) {
    const i64 n = count - k < kTogether ? count - k : kTogether;
    L long_ones = 0;
    for (i64 i = 0; i < n; ++i) long_ones |= lengths[k + i] >> 1;
    if (long_ones == 0) {
      start = put_single(v, start, total, lengths + k, n, places + k, out);
      continue;
    }
    for (i64 i = k; i < k + n; ++i) {
      const i64 length = lengths[i];
      u8* const to = length > 0 ? reinterpret_cast<u8*>(out + places[i]) : nowhere;
      copy_exactly(reinterpret_cast<const u8*>(v + start), length * static_cast<i64>(sizeof(E)), to);
      start += length;
    }
  }
}

template <typename E>
void put_equal(const E* v, i64 length, i64 count, const i64* places, E* out) {
  if (length == 1) {
    for (i64 k = 0; k < count; ++k) out[places[k]] = v[k];
    return;
  }
  const i64 bytes = length * static_cast<i64>(sizeof(E));
  for (i64 k = 0; k < count; ++k)
    copy_exactly(reinterpret_cast<const u8*>(v + k * length), bytes, reinterpret_cast<u8*>(out + places[k]));
}

template <typename E>
void put_elements(const void* pv, SegmentLengths runs, i64 count, i64 total, const i64* places, void* pout) {
  const E* v = static_cast<const E*>(pv);
  E* out = static_cast<E*>(pout);
  if (runs.lengths == nullptr) return put_equal(v, runs.length, count, places, out);
  if (runs.narrow) return put_runs_of(v, static_cast<const i32*>(runs.lengths), count, total, places, out);
  put_runs_of(v, static_cast<const i64*>(runs.lengths), count, total, places, out);
}

void put_runs(const void* v, i64 bytes, SegmentLengths runs, i64 count, i64 total, const i64* places,
              void* out) {
  if (total == 0) return;
  switch (bytes) {
    case 1: return put_elements<u8>(v, runs, count, total, places, out);
    case 4: return put_elements<u32>(v, runs, count, total, places, out);
    default: return put_elements<u64>(v, runs, count, total, places, out);
  }
}

}  // namespace

void fill_destination(Table& t) {
  t.lay_runs = lay_runs;
  t.runs_fill = runs_fill;
  t.places_of_some = places_of_some;
  t.put_runs = put_runs;
}

}  // namespace nvm::vm::kernels::NVM_ISA
