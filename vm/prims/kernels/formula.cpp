// Primitives whose flags or indices are not written: elements that compare with a value of their segment,
// segments that go as a whole, runs that move. Elements are read once, results written once. Short segments
// end in masked loads and stores with AVX-512, so that their lengths cost no branches.
#include "vm/prims/kernels/isa.h"
#include "vm/prims/kernels/lanes.h"
#include "vm/simd/short_copy.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

#if NVM_VECTOR_BYTES >= 32
// Counts the elements of one segment that stand in the relation, and stores them.
template <typename T, Scalar kScalar, bool kStore>
i64 compare_segment(const T* v, i64 n, T x, T* out) {
  using L = Lanes<T>;
  const auto y = L::all(x);
  i64 taken = 0;
  const auto step = [&](u64 first, const T* p) {
    const auto e = L::load(first, p);
    const u64 m = L::template compare<kScalar>(first, e, y);
    if constexpr (kStore) L::store(m, e, out + taken);
    taken += __builtin_popcountll(m);
  };
  constexpr u64 kAll = (u64{1} << L::kCount) - 1;
  i64 i = 0;
  for (; i + L::kCount <= n; i += L::kCount) step(kAll, v + i);
  step(_bzhi_u64(~u64{0}, static_cast<u32>(n - i)) & kAll, v + i);
  return taken;
}

// How elements stand to y, a bit for each.
struct Relations {
  u64 less, equal, greater, unordered;
  [[nodiscard]] u64 taken_by(const PackTarget& to) const {
    return (less & to.less) | (equal & to.equal) | (greater & to.greater) | (unordered & to.unordered);
  }
};
template <typename T, typename V>
Relations relate(u64 first, V e, V y) {
  using L = Lanes<T>;
  Relations r;
  r.less = L::template compare<Scalar::kLt>(first, e, y);
  r.equal = L::template compare<Scalar::kEq>(first, e, y);
  r.greater = first & ~(r.less | r.equal);
  r.unordered = 0;
  if constexpr (!std::is_integral_v<T>) {
    const u64 others = r.greater;
    r.greater = L::template compare<Scalar::kGt>(first, e, y);
    r.unordered = others & ~r.greater;
  }
  return r;
}

// step(first lanes, elements) for all of a segment, full registers first.
template <typename T, typename F>
void each_register(const T* v, i64 n, F step) {
  using L = Lanes<T>;
  constexpr u64 kAll = (u64{1} << L::kCount) - 1;
  i64 i = 0;
  for (; i + L::kCount < n; i += L::kCount) step(kAll, L::load(kAll, v + i));
  const u64 rest = _bzhi_u64(~u64{0}, static_cast<u32>(n - i)) & kAll;
  step(rest, L::load(rest, v + i));
}

// The elements of one segment to `targets`.
template <typename T, int kTargets, bool kExact = false>
void part_segment(const T* v, i64 n, T x, const PackTarget* targets, i64* place) {
  const auto y = Lanes<T>::all(x);
  each_register(v, n, [&](u64 first, auto e) {
    const Relations r = relate<T>(first, e, y);
    for (int t = 0; t < kTargets; ++t) {
      const u64 m = r.taken_by(targets[t]);
      T* to = static_cast<T*>(targets[t].out) + place[t];
#if NVM_VECTOR_BYTES == 64
      if constexpr (kExact)
        Lanes<T>::store_exactly(m, e, to);
      else
#endif
        Lanes<T>::store(m, e, to);
      place[t] += __builtin_popcountll(m);
    }
  });
}
#if NVM_VECTOR_BYTES == 32
// The same, and nothing is written behind them: whole registers go aside, which is cheaper than masked ones.
template <typename T, int kTargets>
void part_aside(const T* v, i64 n, T x, const PackTarget* targets, i64* place) {
  constexpr i64 kBlock = 512;
  T aside[kTargets][kBlock + Lanes<T>::kCount];
  PackTarget to[kTargets];
  for (int t = 0; t < kTargets; ++t) {
    to[t] = targets[t];
    to[t].out = aside[t];
  }
  for (i64 i = 0; i < n; i += kBlock) {
    i64 taken[kTargets] = {};
    part_segment<T, kTargets>(v + i, n - i < kBlock ? n - i : kBlock, x, to, taken);
    for (int t = 0; t < kTargets; ++t) {
      __builtin_memcpy(static_cast<T*>(targets[t].out) + place[t], aside[t],
                       static_cast<u64>(taken[t]) * sizeof(T));
      place[t] += taken[t];
    }
  }
}
#endif

// The same, but those of the second target follow those of the first, place[0] moving on over both.
template <typename T, int kTargets>
void join_segment(const T* v, i64 n, T x, const PackTarget* targets, i64* place) {
  using L = Lanes<T>;
  const auto y = L::all(x);
  T* out = static_cast<T*>(targets[0].out);
  const auto put = [&](const Relations& r, auto e, int t, T* to, i64& at) {
    const u64 m = r.taken_by(targets[t]);
    L::store(m, e, to + at);
    at += __builtin_popcountll(m);
  };
  i64 at = place[0];
  const auto begin = [&](u64 first, auto e) {
    const Relations r = relate<T>(first, e, y);
    put(r, e, 0, out, at);
    if constexpr (kTargets > 2) put(r, e, 2, static_cast<T*>(targets[2].out), place[2]);
    return r;
  };
  i64 first_end = 0;
  if (n <= L::kCount) {
    const u64 all = _bzhi_u64(~u64{0}, static_cast<u32>(n));
    const auto e = L::load(all, v);
    const Relations r = begin(all, e);
    first_end = at;
    put(r, e, 1, out, at);
  } else {
    each_register(v, n, begin);
    first_end = at;
    each_register(v, n, [&](u64 first, auto e) { put(relate<T>(first, e, y), e, 1, out, at); });
  }
  place[1] += at - first_end;
  place[0] = at;
}
#else
template <Scalar kScalar, typename T>
bool stands(T a, T b) {
  switch (kScalar) {
    case Scalar::kLt: return a < b;
    case Scalar::kLe: return a <= b;
    case Scalar::kGt: return a > b;
    case Scalar::kGe: return a >= b;
    case Scalar::kEq: return a == b;
    default: return a != b;
  }
}
template <typename T, Scalar kScalar, bool kStore>
i64 compare_segment(const T* v, i64 n, T x, T* out) {
  i64 taken = 0;
  for (i64 i = 0; i < n; ++i) {
    if constexpr (kStore) out[taken] = v[i];
    taken += stands<kScalar>(v[i], x) ? 1 : 0;
  }
  return taken;
}
// Does one whose elements stand to x as y does take y?
template <typename T>
i64 takes(const PackTarget& to, T y, T x) {
  const u64 less = y < x;
  const u64 equal = y == x;
  const u64 greater = y > x;
  const u64 unordered = 1 & ~(less | equal | greater);
  return static_cast<i64>((less & to.less) | (equal & to.equal) | (greater & to.greater) |
                          (unordered & to.unordered));
}
template <typename T, int kTargets, bool kExact = false>
void part_segment(const T* v, i64 n, T x, const PackTarget* targets, i64* place) {
  for (i64 i = 0; i < n; ++i)
    for (int t = 0; t < kTargets; ++t) {
      const i64 taken = takes(targets[t], v[i], x);
      if (!kExact || taken != 0) static_cast<T*>(targets[t].out)[place[t]] = v[i];
      place[t] += taken;
    }
}
// The same, but those of the second target follow those of the first, place[0] moving on over both.
template <typename T, int kTargets>
void join_segment(const T* v, i64 n, T x, const PackTarget* targets, i64* place) {
  const auto pass = [&](int t, T* out, i64& at) {
    for (i64 i = 0; i < n; ++i) {
      out[at] = v[i];
      at += takes(targets[t], v[i], x);
    }
  };
  T* out = static_cast<T*>(targets[0].out);
  pass(0, out, place[0]);
  const i64 first_end = place[0];
  pass(1, out, place[0]);
  place[1] += place[0] - first_end;
  if constexpr (kTargets > 2) pass(2, static_cast<T*>(targets[2].out), place[2]);
}
#endif

template <typename T, int kTargets, bool kJoin>
void partition(const void* pv, const void* px, i64 step, Segments s, i64 count, PackTarget* targets) {
  const T* v = static_cast<const T*>(pv);
  const T* x = static_cast<const T*>(px);
  PackTarget to[kTargets];  // not what stores might change
  i64 place[kTargets] = {};
  for (int t = 0; t < kTargets; ++t) to[t] = targets[t];
  i64 start = s.start(0);
  for (i64 k = 0; k < count; ++k) {
    i64 before[kTargets];
    for (int t = 0; t < kTargets; ++t) before[t] = place[t];
    const i64 end = s.start(k + 1);
    if constexpr (kJoin) {
      join_segment<T, kTargets>(v + start, end - start, x[k * step], to, place);
      before[0] += place[1] - before[1];
    } else {
      part_segment<T, kTargets>(v + start, end - start, x[k * step], to, place);
    }
    for (int t = 0; t < kTargets; ++t)
      if (to[t].lengths != nullptr) to[t].lengths[k] = static_cast<i32>(place[t] - before[t]);
    start = end;
  }
  if (kJoin) place[0] -= place[1];
  for (int t = 0; t < kTargets; ++t) targets[t].total = place[t];
}
template <typename T, int kTargets>
void part_exactly(const void* pv, i64 n, const void* px, const PackTarget* targets) {
  const T* v = static_cast<const T*>(pv);
  const T x = *static_cast<const T*>(px);
  i64 place[kTargets] = {};
#if NVM_VECTOR_BYTES == 32
  part_aside<T, kTargets>(v, n, x, targets, place);
#else
  part_segment<T, kTargets, true>(v, n, x, targets, place);
#endif
}
template <typename T>
void set_partition(Table& t, int type) {
  t.part_exactly[0][type] = part_exactly<T, 2>;
  t.part_exactly[1][type] = part_exactly<T, 3>;
  t.partition[0][type] = partition<T, 2, false>;
  t.partition[1][type] = partition<T, 3, false>;
  t.partition_joined[0][type] = partition<T, 2, true>;
  t.partition_joined[1][type] = partition<T, 3, true>;
}

template <typename T, Scalar kScalar, bool kStore>
i64 pack_compare(const void* pv, const void* px, i64 step, Segments s, i64 count, void* pout, i32* lengths) {
  const T* v = static_cast<const T*>(pv);
  const T* x = static_cast<const T*>(px);
  T* out = static_cast<T*>(pout);
  i64 total = 0;
  i64 start = s.start(0);
  for (i64 k = 0; k < count; ++k) {
    const i64 end = s.start(k + 1);
    const i64 taken = compare_segment<T, kScalar, kStore>(v + start, end - start, x[k * step], out + total);
    if (lengths != nullptr) lengths[k] = static_cast<i32>(taken);
    total += taken;
    start = end;
  }
  return total;
}

i64 flagged_lengths(const u8* flags, Segments s, i64 count, i32* lengths) {
  i64 total = 0;
  i64 start = s.start(0);
  for (i64 k = 0; k < count; ++k) {
    const i64 end = s.start(k + 1);
    const i64 n = (end - start) & -static_cast<i64>(flags[k]);
    if (lengths != nullptr) lengths[k] = static_cast<i32>(n);
    total += n;
    start = end;
  }
  return total;
}

void copy_flagged(const void* pv, i64 bytes, const u8* flags, Segments s, i64 count, i64 total, void* pout) {
  const u8* v = static_cast<const u8*>(pv);
  u8* out = static_cast<u8*>(pout);
  i64 start = s.start(0) * bytes;
  i64 k = 0;
#if NVM_VECTOR_BYTES == 32
  // Short ones as a whole register: the next one lies over what is too much, as long as there is room.
  constexpr i64 kRegister = 32;
  const u8* const last_v = v + s.start(count) * bytes;
  const u8* const last_out = out + total * bytes;
  for (; k < count && last_v - (v + start) >= kRegister && last_out - out >= kRegister; ++k) {
    const i64 end = s.start(k + 1) * bytes;
    const i64 n = (end - start) & -static_cast<i64>(flags[k]);
    if (n <= kRegister)
      __builtin_memcpy(out, v + start, kRegister);
    else
      __builtin_memcpy(out, v + start, static_cast<u64>(n));
    out += n;
    start = end;
  }
#else
  static_cast<void>(total);
#endif
  for (; k < count; ++k) {
    const i64 end = s.start(k + 1) * bytes;
    const i64 n = (end - start) & -static_cast<i64>(flags[k]);
    copy_exactly(v + start, n, out);
    out += n;
    start = end;
  }
}

// `each` runs lie in every segment, in order.
bool evenly(Segments runs, i64 count, Segments source, i64 segments, i64 each) {
  if (each * segments != count) return false;
  bool even = true;
  for (i64 j = 0; j <= segments; ++j) even &= runs.start(j * each) == source.start(j);
  return even;
}

// The place of a run of n elements from `to` on, in a segment of `room` elements behind `base`. Empty runs
// are nowhere.
i64 place_run(i64 to, i64 n, i64 base, i64 room, bool& inside) {
  const i64 some = -static_cast<i64>(n > 0);
  inside &= (some & ((to >> 63) | ((room - n - to) >> 63))) == 0;
  return (base + to) & some;
}

template <typename Idx>
bool place_evenly(const Idx* first, Segments runs, Segments dest, i64 segments, i64 each, i64* places) {
  bool inside = true;
  i64 k = 0;
  i64 start = 0;
  i64 base = dest.start(0);
  for (i64 j = 0; j < segments; ++j) {
    const i64 next = dest.start(j + 1);
    for (i64 i = 0; i < each; ++i, ++k) {
      const i64 end = runs.start(k + 1);
      places[k] = place_run(static_cast<i64>(first[k]), end - start, base, next - base, inside);
      start = end;
    }
    base = next;
  }
  return inside;
}

template <typename Idx>
bool place_runs(const void* pfirst, Segments runs, i64 count, Segments source, Segments dest, i64 segments,
                i64* places) {
  const Idx* first = static_cast<const Idx*>(pfirst);
  const i64 each = segments == 0 ? 0 : count / segments;
  if (evenly(runs, count, source, segments, each))
    return place_evenly(first, runs, dest, segments, each, places);
  i64 segment = 0;
  i64 segment_end = segments == 0 ? 0 : source.start(1);
  bool inside = true;
  i64 start = 0;
  for (i64 k = 0; k < count; ++k) {
    const i64 end = runs.start(k + 1);
    while (end > start && start >= segment_end && segment + 1 < segments)
      segment_end = source.start(++segment + 1);
    inside &= end == start || end <= segment_end;
    const i64 base = segments == 0 ? 0 : dest.start(segment);
    const i64 room = segments == 0 ? 0 : dest.start(segment + 1) - base;
    places[k] = place_run(static_cast<i64>(first[k]), end - start, base, room, inside);
    start = end;
  }
  return inside;
}

void put_runs(const void* pv, i64 bytes, Segments runs, i64 count, const i64* places, void* pout) {
  const u8* v = static_cast<const u8*>(pv);
  u8* out = static_cast<u8*>(pout);
  u8 nowhere[64];  // a store of nothing to memory that was never touched is slow
  i64 start = 0;
  for (i64 k = 0; k < count; ++k) {
    const i64 end = runs.start(k + 1) * bytes;
    copy_exactly(v + start, end - start, end > start ? out + places[k] * bytes : nowhere);
    start = end;
  }
}

template <Scalar kScalar>
void set_compare(Table& t) {
  constexpr int kAt = index_of(kScalar) - index_of(Scalar::kLt);
  t.pack_compare[kAt][0] = pack_compare<i32, kScalar, true>;
  t.pack_compare[kAt][1] = pack_compare<i64, kScalar, true>;
  t.pack_compare[kAt][2] = pack_compare<f64, kScalar, true>;
  t.count_compare[kAt][0] = pack_compare<i32, kScalar, false>;
  t.count_compare[kAt][1] = pack_compare<i64, kScalar, false>;
  t.count_compare[kAt][2] = pack_compare<f64, kScalar, false>;
}

}  // namespace

void fill_formula(Table& t) {
  set_compare<Scalar::kLt>(t);
  set_compare<Scalar::kLe>(t);
  set_compare<Scalar::kGt>(t);
  set_compare<Scalar::kGe>(t);
  set_compare<Scalar::kEq>(t);
  set_compare<Scalar::kNe>(t);
  set_partition<i32>(t, 0);
  set_partition<i64>(t, 1);
  set_partition<f64>(t, 2);
  t.flagged_lengths = flagged_lengths;
  t.copy_flagged = copy_flagged;
  t.place_runs[0] = place_runs<i32>;
  t.place_runs[1] = place_runs<i64>;
  t.put_runs = put_runs;
}

}  // namespace nvm::vm::kernels::NVM_ISA
