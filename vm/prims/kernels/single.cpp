// One element of each segment, read or replaced. Places are found and checked as vectors, a few hundred at a
// time; lines to be written are asked for first, for the segments lie apart.
#include "vm/prims/kernels/isa.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

template <typename Idx>
bool outside(Idx i, i64 len) {
  return static_cast<u64>(static_cast<i64>(i)) >= static_cast<u64>(len);
}

// Where the elements of segments k..k+n-1 with these indices lie, counted from the start of segment k; false
// if one is outside its segment (then only that is known).
template <typename Idx>
bool find_places(const Idx* idx, Segments s, i64 k, i64 n, i64* places) {
  u64 wild = 0;
  if (s.offsets == nullptr) {
    for (i64 j = 0; j < n; ++j) {
      wild |= outside(idx[k + j], s.length);
      places[j] = j * s.length + static_cast<i64>(idx[k + j]);
    }
  } else {
    const i64* start = s.offsets + k;
    for (i64 j = 0; j < n; ++j) {
      wild |= outside(idx[k + j], start[j + 1] - start[j]);
      places[j] = static_cast<i64>(static_cast<u64>(start[j] - start[0]) + static_cast<u64>(idx[k + j]));
    }
  }
  return wild == 0;
}

template <typename E, typename Idx, bool kReplace>
i64 single(const void* pv, const void* pidx, Segments s, i64 k0, i64 k1, void* pout) {
  constexpr i64 kSome = 256;
  const E* v = static_cast<const E*>(pv);
  const Idx* idx = static_cast<const Idx*>(pidx);
  E* out = static_cast<E*>(pout);
  i64 places[kSome];
  for (i64 k = k0; k < k1; k += kSome) {
    const i64 n = k1 - k < kSome ? k1 - k : kSome;
    if (!find_places(idx, s, k, n, places))
      for (i64 j = k;; ++j)
        if (outside(idx[j], s.start(j + 1) - s.start(j))) return j;
    if constexpr (kReplace) {
      E* to = out + s.start(k);
      for (i64 j = 0; j < n; ++j) __builtin_prefetch(to + places[j], 1);
      for (i64 j = 0; j < n; ++j) to[places[j]] = v[k + j];
    } else {
      const E* from = v + s.start(k);
#pragma GCC ivdep
      for (i64 j = 0; j < n; ++j) out[k + j] = from[places[j]];
    }
  }
  return -1;
}

template <typename E, typename Idx>
void set(Table& t, int width, int index) {
  t.extract[width][index] = single<E, Idx, false>;
  t.replace[width][index] = single<E, Idx, true>;
}
template <typename Idx>
void set_widths(Table& t, int index) {
  set<u8, Idx>(t, 0, index);
  set<u32, Idx>(t, 1, index);
  set<u64, Idx>(t, 2, index);
}

}  // namespace

void fill_single(Table& t) {
  set_widths<i32>(t, 0);
  set_widths<i64>(t, 1);
}

}  // namespace nvm::vm::kernels::NVM_ISA
