// Runs that are put together: where they belong, and moving them there. Most are short and of varying
// lengths, so lengths cost no branches.
#include "vm/prims/kernels/isa.h"
#include "vm/simd/short_copy.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

constexpr i64 kBlock = 128;  // segments

// Lengths of runs, and where they begin in their segments, of n segments from k on. kEach: 0 for any number.
template <i64 kEach>
void load_runs(const RunSlot& slot, i64 k, i64 n, i64* __restrict length, i64* __restrict first) {
  const i64 each = kEach > 0 ? kEach : slot.each;
  const i64 j = k * each + slot.index;
  if (slot.runs.offsets != nullptr) {
    const i64* starts = slot.runs.offsets + j;
    for (i64 i = 0; i < n; ++i) length[i] = starts[i * each + 1] - starts[i * each];
  } else {
    for (i64 i = 0; i < n; ++i) length[i] = slot.runs.length;
  }
  if (slot.narrow) {
    const i32* from = static_cast<const i32*>(slot.first) + j;
    for (i64 i = 0; i < n; ++i) first[i] = from[i * each];
  } else {
    const i64* from = static_cast<const i64*>(slot.first) + j;
    for (i64 i = 0; i < n; ++i) first[i] = from[i * each];
  }
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

bool lay_runs(const RunSlot* slots, i64 count, Segments dest, const i64* to, i64 segments) {
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
    if (dest.offsets != nullptr)
      for (i64 i = 0; i < n; ++i) wrong |= filled[i] ^ (dest.offsets[k + i + 1] - dest.offsets[k + i]);
    else
      for (i64 i = 0; i < n; ++i) wrong |= filled[i] ^ dest.length;
    store_places(slots, count, places, k, n);
  }
  return wrong == 0;
}

#if NVM_VECTOR_BYTES == 64
bool places_of_some(Segments s, i64 count, const i64* places, Segments dest, i64 n, i64* out) {
  if (s.offsets == nullptr) return false;
  const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  u64 wrong = 0;
  i64 at = 0;
  for (i64 k = 0; k < count; k += 8) {
    const auto in = static_cast<__mmask8>(_bzhi_u64(255, static_cast<u32>(count - k < 8 ? count - k : 8)));
    const __m512i start = _mm512_maskz_loadu_epi64(in, s.offsets + k);
    const __m512i end = _mm512_maskz_loadu_epi64(in, s.offsets + k + 1);
    const __mmask8 some = _mm512_mask_cmpneq_epi64_mask(in, start, end);
    const i64 kept = __builtin_popcountll(some);
    if (at + kept > n) return false;
    const auto low = static_cast<__mmask8>(_bzhi_u64(255, static_cast<u32>(kept)));
    const __m512i want = dest.offsets != nullptr
                             ? _mm512_maskz_loadu_epi64(low, dest.offsets + at)
                             : _mm512_mullo_epi64(_mm512_add_epi64(_mm512_set1_epi64(at), lanes),
                                                  _mm512_set1_epi64(dest.length));
    wrong |= _mm512_mask_cmpneq_epi64_mask(low, _mm512_maskz_compress_epi64(some, start), want);
    _mm512_storeu_si512(out + at,
                        _mm512_maskz_compress_epi64(some, _mm512_maskz_loadu_epi64(in, places + k)));
    at += kept;
  }
  return wrong == 0 && at == n;
}
#else
bool places_of_some(Segments s, i64 count, const i64* places, Segments dest, i64 n, i64* out) {
  bool right = true;
  i64 at = 0;
  for (i64 k = 0; k < count; ++k) {
    const i64 start = s.start(k);
    const i64 some = s.start(k + 1) > start ? 1 : 0;
    if (at + some > n) return false;
    out[at] = places[k];
    right &= some == 0 || start == dest.start(at);
    at += some;
  }
  return right && at == n;
}
#endif

// Runs of at most one element. An empty one stores what lies there, or before, to where it does not matter: a
// store of nothing to memory that was never touched would be slow, and a branch would be guessed wrong.
template <typename E>
void put_single(const E* v, Segments runs, i64 k, i64 end, i64 last, const i64* places, E* out) {
  E nowhere[1];
  const u64 here = reinterpret_cast<u64>(nowhere);
  for (; k < end; ++k) {
    const i64 start = runs.start(k);
    const u64 some = -static_cast<u64>(runs.start(k + 1) - start);  // all bits or none
    const u64 there = reinterpret_cast<u64>(out + places[k]);
    *reinterpret_cast<E*>(here ^ ((here ^ there) & some)) = v[start < last ? start : last];
  }
}

template <typename E>
void put_runs_of(const E* v, Segments runs, i64 count, const i64* places, E* out) {
  constexpr i64 kTogether = 16;
  const i64 last = runs.start(count) - 1;
  u8 nowhere[64];
  for (i64 k = 0; k < count; k += kTogether) {
    const i64 end = count - k < kTogether ? count : k + kTogether;
    i64 long_ones = 0;
    for (i64 i = k; i < end; ++i) long_ones |= (runs.start(i + 1) - runs.start(i)) >> 1;
    if (long_ones == 0) {
      put_single(v, runs, k, end, last, places, out);
      continue;
    }
    for (i64 i = k; i < end; ++i) {
      const i64 n = runs.start(i + 1) - runs.start(i);
      u8* const to = n > 0 ? reinterpret_cast<u8*>(out + places[i]) : nowhere;
      copy_exactly(reinterpret_cast<const u8*>(v + runs.start(i)), n * static_cast<i64>(sizeof(E)), to);
    }
  }
}

void put_runs(const void* v, i64 bytes, Segments runs, i64 count, const i64* places, void* out) {
  if (count == 0 || runs.start(count) == 0) return;
  switch (bytes) {
    case 1: return put_runs_of(static_cast<const u8*>(v), runs, count, places, static_cast<u8*>(out));
    case 4: return put_runs_of(static_cast<const u32*>(v), runs, count, places, static_cast<u32*>(out));
    default: return put_runs_of(static_cast<const u64*>(v), runs, count, places, static_cast<u64*>(out));
  }
}

}  // namespace

void fill_landing(Table& t) {
  t.lay_runs = lay_runs;
  t.places_of_some = places_of_some;
  t.put_runs = put_runs;
}

}  // namespace nvm::vm::kernels::NVM_ISA
