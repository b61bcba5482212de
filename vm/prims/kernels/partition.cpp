// Several packs of the same elements in one pass, by how each element stands to a value of its segment. Short
// segments are one register, whatever their lengths.
#include "vm/prims/kernels/isa.h"
#include "vm/prims/kernels/lanes.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

// What the targets take: whatever they say, or, so that each costs one comparison, what is less, what is
// greater, and what is equal, or the first two the other way round.
enum class Takes : u8 { kAny, kLessFirst, kGreaterFirst };

Takes takes(const PackTarget* targets, int count) {
  const auto only = [&](int t, bool less, bool greater, bool equal) {
    const PackTarget& to = targets[t];
    return (to.less != 0) == less && (to.greater != 0) == greater && (to.equal != 0) == equal &&
           to.unordered == 0;
  };
  if (count > 2 && !only(2, false, false, true)) return Takes::kAny;
  if (only(0, true, false, false) && only(1, false, true, false)) return Takes::kLessFirst;
  if (only(0, false, true, false) && only(1, true, false, false)) return Takes::kGreaterFirst;
  return Takes::kAny;
}

// The relation of those that target t takes, unless it takes any.
constexpr Scalar relation_of(Takes takes, int t) {
  if (t == 2) return Scalar::kEq;
  return (t == 0) == (takes == Takes::kLessFirst) ? Scalar::kLt : Scalar::kGt;
}

#if NVM_VECTOR_BYTES >= 32
// Which of the `first` elements go to a target, a bit for each; y is what they are compared with.
template <typename T, Takes kTakes, int kTarget, typename L = Lanes<T>, typename V>
u64 taken_of(u64 first, V e, V y, const PackTarget& to) {
  if constexpr (kTakes != Takes::kAny) return L::template compare<relation_of(kTakes, kTarget)>(first, e, y);
  const u64 less = L::template compare<Scalar::kLt>(first, e, y);
  const u64 equal = L::template compare<Scalar::kEq>(first, e, y);
  u64 greater = first & ~(less | equal);
  u64 unordered = 0;
  if constexpr (!std::is_integral_v<T>) {
    const u64 others = greater;
    greater = L::template compare<Scalar::kGt>(first, e, y);
    unordered = others & ~greater;
  }
  return (less & to.less) | (equal & to.equal) | (greater & to.greater) | (unordered & to.unordered);
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
template <typename T, int kTargets, Takes kTakes, bool kExact = false>
void part_segment(const T* v, i64 n, T x, const PackTarget* targets, i64* place) {
  const auto y = Lanes<T>::all(x);
  const auto put = [&](u64 m, auto e, int t) {
    T* to = static_cast<T*>(targets[t].out) + place[t];
#if NVM_VECTOR_BYTES == 64
    if constexpr (kExact)
      Lanes<T>::store_exactly(m, e, to);
    else
#endif
      Lanes<T>::store(m, e, to);
    place[t] += __builtin_popcountll(m);
  };
  each_register(v, n, [&](u64 first, auto e) {
    put(taken_of<T, kTakes, 0>(first, e, y, targets[0]), e, 0);
    put(taken_of<T, kTakes, 1>(first, e, y, targets[1]), e, 1);
    if constexpr (kTargets > 2) put(taken_of<T, kTakes, 2>(first, e, y, targets[2]), e, 2);
  });
}
#if NVM_VECTOR_BYTES == 32
// The same, and nothing is written behind them: whole registers go aside, which is cheaper than masked ones.
template <typename T, int kTargets, Takes kTakes>
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
    part_segment<T, kTargets, kTakes>(v + i, n - i < kBlock ? n - i : kBlock, x, to, taken);
    for (int t = 0; t < kTargets; ++t) {
      __builtin_memcpy(static_cast<T*>(targets[t].out) + place[t], aside[t],
                       static_cast<u64>(taken[t]) * sizeof(T));
      place[t] += taken[t];
    }
  }
}
#endif

// The same, but those of the second target follow those of the first, place[0] moving on over both. Segments
// of one register L.
template <typename T, typename L, int kTargets, Takes kTakes>
void join_register(const T* v, i64 n, T x, const PackTarget* targets, i64* place) {
  const auto y = L::all(x);
  const u64 all = _bzhi_u64(~u64{0}, static_cast<u32>(n));
  const auto e = L::load(all, v);
  T* out = static_cast<T*>(targets[0].out) + place[0];
  const u64 first = taken_of<T, kTakes, 0, L>(all, e, y, targets[0]);
  L::store(first, e, out);
  out += __builtin_popcountll(first);
  if constexpr (kTargets > 2) {
    const u64 third = taken_of<T, kTakes, 2, L>(all, e, y, targets[2]);
    L::store(third, e, static_cast<T*>(targets[2].out) + place[2]);
    place[2] += __builtin_popcountll(third);
  }
  const u64 second = taken_of<T, kTakes, 1, L>(all, e, y, targets[1]);
  L::store(second, e, out);
  place[0] += __builtin_popcountll(first) + __builtin_popcountll(second);
  place[1] += __builtin_popcountll(second);
}

template <typename T, int kTargets, Takes kTakes>
void join_segment(const T* v, i64 n, T x, const PackTarget* targets, i64* place) {
  using L = Lanes<T>;
#if NVM_VECTOR_BYTES == 64
  using Half = Lanes<T, NVM_VECTOR_BYTES / 2>;
  if (n <= Half::kCount) return join_register<T, Half, kTargets, kTakes>(v, n, x, targets, place);
#endif
  if (n <= L::kCount) return join_register<T, L, kTargets, kTakes>(v, n, x, targets, place);
  const auto y = L::all(x);
  T* out = static_cast<T*>(targets[0].out);
  i64 at = place[0];
  const auto put = [](u64 m, auto e, T* to, i64& end) {
    L::store(m, e, to + end);
    end += __builtin_popcountll(m);
  };
  each_register(v, n, [&](u64 first, auto e) {
    put(taken_of<T, kTakes, 0>(first, e, y, targets[0]), e, out, at);
    if constexpr (kTargets > 2)
      put(taken_of<T, kTakes, 2>(first, e, y, targets[2]), e, static_cast<T*>(targets[2].out), place[2]);
  });
  const i64 first_end = at;
  each_register(v, n,
                [&](u64 first, auto e) { put(taken_of<T, kTakes, 1>(first, e, y, targets[1]), e, out, at); });
  place[1] += at - first_end;
  place[0] = at;
}
#else
// Does one whose elements stand to x as y does take y?
template <Takes kTakes, typename T>
i64 takes(const PackTarget& to, int t, T y, T x) {
  const u64 less = y < x;
  const u64 equal = y == x;
  const u64 greater = y > x;
  if constexpr (kTakes != Takes::kAny) {
    const Scalar relation = relation_of(kTakes, t);
    return static_cast<i64>(relation == Scalar::kLt ? less : relation == Scalar::kEq ? equal : greater);
  }
  const u64 unordered = 1 & ~(less | equal | greater);
  return static_cast<i64>((less & to.less) | (equal & to.equal) | (greater & to.greater) |
                          (unordered & to.unordered));
}
template <typename T, int kTargets, Takes kTakes, bool kExact = false>
void part_segment(const T* v, i64 n, T x, const PackTarget* targets, i64* place) {
  for (i64 i = 0; i < n; ++i)
    for (int t = 0; t < kTargets; ++t) {
      const i64 taken = takes<kTakes>(targets[t], t, v[i], x);
      if (!kExact || taken != 0) static_cast<T*>(targets[t].out)[place[t]] = v[i];
      place[t] += taken;
    }
}
// The same, but those of the second target follow those of the first, place[0] moving on over both.
template <typename T, int kTargets, Takes kTakes>
void join_segment(const T* v, i64 n, T x, const PackTarget* targets, i64* place) {
  const auto pass = [&](int t, T* out, i64& at) {
    for (i64 i = 0; i < n; ++i) {
      out[at] = v[i];
      at += takes<kTakes>(targets[t], t, v[i], x);
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

template <typename T, int kTargets, bool kJoin, Takes kTakes>
void partition_by(const T* v, const T* x, i64 step, Segments s, i64 count, PackTarget* targets) {
  PackTarget to[kTargets];  // not what stores might change
  i64 place[kTargets] = {};
  for (int t = 0; t < kTargets; ++t) to[t] = targets[t];
  i64 start = s.start(0);
  for (i64 k = 0; k < count; ++k) {
    i64 before[kTargets];
    for (int t = 0; t < kTargets; ++t) before[t] = place[t];
    const i64 end = s.start(k + 1);
    if constexpr (kJoin) {
      join_segment<T, kTargets, kTakes>(v + start, end - start, x[k * step], to, place);
      before[0] += place[1] - before[1];
    } else {
      part_segment<T, kTargets, kTakes>(v + start, end - start, x[k * step], to, place);
    }
    for (int t = 0; t < kTargets; ++t)
      if (to[t].lengths != nullptr) to[t].lengths[k] = static_cast<i32>(place[t] - before[t]);
    start = end;
  }
  if (kJoin) place[0] -= place[1];
  for (int t = 0; t < kTargets; ++t) targets[t].total = place[t];
}
template <typename T, int kTargets, bool kJoin>
void partition(const void* pv, const void* px, i64 step, Segments s, i64 count, PackTarget* targets) {
  const T* v = static_cast<const T*>(pv);
  const T* x = static_cast<const T*>(px);
  switch (takes(targets, kTargets)) {
    case Takes::kLessFirst:
      return partition_by<T, kTargets, kJoin, Takes::kLessFirst>(v, x, step, s, count, targets);
    case Takes::kGreaterFirst:
      return partition_by<T, kTargets, kJoin, Takes::kGreaterFirst>(v, x, step, s, count, targets);
    case Takes::kAny: return partition_by<T, kTargets, kJoin, Takes::kAny>(v, x, step, s, count, targets);
  }
}

template <typename T, int kTargets, Takes kTakes>
void part_exactly_by(const T* v, i64 n, T x, const PackTarget* targets) {
  i64 place[kTargets] = {};
#if NVM_VECTOR_BYTES == 32
  part_aside<T, kTargets, kTakes>(v, n, x, targets, place);
#else
  part_segment<T, kTargets, kTakes, true>(v, n, x, targets, place);
#endif
}
template <typename T, int kTargets>
void part_exactly(const void* pv, i64 n, const void* px, const PackTarget* targets) {
  const T* v = static_cast<const T*>(pv);
  const T x = *static_cast<const T*>(px);
  switch (takes(targets, kTargets)) {
    case Takes::kLessFirst: return part_exactly_by<T, kTargets, Takes::kLessFirst>(v, n, x, targets);
    case Takes::kGreaterFirst: return part_exactly_by<T, kTargets, Takes::kGreaterFirst>(v, n, x, targets);
    case Takes::kAny: return part_exactly_by<T, kTargets, Takes::kAny>(v, n, x, targets);
  }
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

}  // namespace

void fill_partition(Table& t) {
  set_partition<i32>(t, 0);
  set_partition<i64>(t, 1);
  set_partition<f64>(t, 2);
}

}  // namespace nvm::vm::kernels::NVM_ISA
