// Combining scatters. Each element of the result takes its addends from the left, so that FLOATs have the
// same bits whoever computes them. Indices are checked a block at a time, then used while they are in L1;
// addends that are narrower than the result are widened a block at a time, and one for all is written out
// once for a block.
#include "vm/prims/kernels/indices.h"
#include "vm/simd/compress.h"
#include "vm/simd/fold_ops.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

constexpr struct Positions {
  u32 all[kBlock] = {};
  constexpr Positions() {
    for (i64 i = 0; i < kBlock; ++i) all[i] = static_cast<u32>(i);
  }
} kPositions;

// The addends as T. What a block gives stays until the next one is asked for.
template <typename T>
class Blocks {
 public:
  // Of no more than n at a time.
  Blocks(const Addends& from, i64 n) : from_(from) {
    if (!from.uniform) return;
    widen(0, 1);
    for (i64 i = 1; i < n && i < kBlock; ++i) wide_[i] = wide_[0];
  }
  const T* at(i64 first, i64 n) {
    if (from_.uniform) return wide_;
    if (from_.storage == storage_of<T>()) return static_cast<const T*>(from_.v) + first;
    widen(first, n);
    return wide_;
  }

 private:
  void widen(i64 first, i64 n) {
    switch (from_.storage) {
      case Storage::kI8: return copy<i8>(first, n);
      case Storage::kI32: return copy<i32>(first, n);
      default: return copy<T>(first, n);
    }
  }
  template <typename In>
  void copy(i64 first, i64 n) {
    const In* v = static_cast<const In*>(from_.v) + first;
    for (i64 i = 0; i < n; ++i) wide_[i] = static_cast<T>(v[i]);
  }

  Addends from_;
  T wide_[kBlock];
};

template <typename Op, typename T, typename Idx>
struct Kernel {
  static void add(T* out, Idx at, T x) { out[at] = Op::apply(out[at], x); }

  // To a result of `len` elements. In what the second-level cache holds, asking ahead costs more than it
  // gives.
  static void add_all(const T* v, const Idx* idx, i64 n, i64 len, T* out) {
    constexpr i64 kCached = 2 << 20;
    i64 i = 0;
    if (len * static_cast<i64>(sizeof(T)) > kCached && scattered(idx, n)) {
      for (; i + kAhead < n; ++i) {
        __builtin_prefetch(out + idx[i + kAhead], 1);
        add(out, idx[i], v[i]);
      }
    }
    for (; i < n; ++i) add(out, idx[i], v[i]);
  }

  // Addends first..first+n-1 to one segment of `len` elements.
  static i64 one(Blocks<T>& v, const Idx* idx, i64 first, i64 n, i64 len, T* out) {
    for (i64 at = first; at < first + n; at += kBlock) {
      const i64 m = first + n - at < kBlock ? first + n - at : kBlock;
      if (const i64 bad = first_outside(idx + at, nullptr, m, len); bad >= 0) return at + bad;
      add_all(v.at(at, m), idx + at, m, len, out);
    }
    return -1;
  }
  static i64 one_short(Blocks<T>& v, const Idx* idx, i64 first, i64 n, i64 len, T* out) {
    const T* x = v.at(first, n);
    for (i64 i = 0; i < n; ++i) {
      if (outside(idx[first + i], len)) return first + i;
      add(out, idx[first + i], x[i]);
    }
    return -1;
  }

  static i64 segments(const Addends& addends, const void* pidx, Segments source, Segments dest, i64 k0,
                      i64 k1, void* pout) {
    const Idx* idx = static_cast<const Idx*>(pidx);
    T* out = static_cast<T*>(pout);
    Blocks<T> v(addends, source.start(k1) - source.start(k0));
    for (i64 k = k0; k < k1; ++k) {
      const i64 first = source.start(k);
      const i64 n = source.start(k + 1) - first;
      const i64 base = dest.start(k);
      const i64 len = dest.start(k + 1) - base;
      const i64 bad =
          n <= kShort ? one_short(v, idx, first, n, len, out + base) : one(v, idx, first, n, len, out + base);
      if (bad >= 0) return bad;
    }
    return -1;
  }

  // What of a block belongs to the range is found first, without a branch on each.
  static void range(const Addends& addends, const void* pidx, i64 n, i64 lo, i64 hi, void* pout) {
    const Idx* idx = static_cast<const Idx*>(pidx);
    T* out = static_cast<T*>(pout);
    Blocks<T> v(addends, n);
    u8 mine[kBlock];
    u32 places[kBlock];
    for (i64 at = 0; at < n; at += kBlock) {
      const i64 m = n - at < kBlock ? n - at : kBlock;
      const T* x = v.at(at, m);
      for (i64 i = 0; i < m; ++i)
        mine[i] = (idx[at + i] >= static_cast<Idx>(lo)) & (idx[at + i] <= static_cast<Idx>(hi - 1));
      const i64 count = simd::compress(kPositions.all, mine, m, places, kBlock) - places;
      for (i64 j = 0; j < count; ++j) __builtin_prefetch(out + idx[at + places[j]], 1);
      for (i64 j = 0; j < count; ++j) add(out, idx[at + places[j]], x[places[j]]);
    }
  }
};

template <typename Op, typename T>
void start(void* pout, i64 n) {
  T* out = static_cast<T*>(pout);
  for (i64 i = 0; i < n; ++i) out[i] = Op::template identity<T>();
}
template <typename Op, typename T>
void merge(void* pout, const void* pmore, i64 n) {
  T* out = static_cast<T*>(pout);
  const T* more = static_cast<const T*>(pmore);
  for (i64 i = 0; i < n; ++i) out[i] = Op::apply(out[i], more[i]);
}

template <Scalar kOp, typename T>
void set(Table& t) {
  using Op = FoldOp<kOp>;
  t.combine[index_of(kOp)][index_of(storage_of<T>())] = {
      {Kernel<Op, T, i32>::segments, Kernel<Op, T, i64>::segments},
      {Kernel<Op, T, i32>::range, Kernel<Op, T, i64>::range},
      start<Op, T>,
      merge<Op, T>};
}
template <Scalar kOp>
void set_numeric(Table& t) {
  set<kOp, i32>(t);
  set<kOp, i64>(t);
  set<kOp, f64>(t);
}
template <Scalar kOp>
void set_logical(Table& t) {
  set<kOp, i32>(t);
  set<kOp, i64>(t);
  set<kOp, u8>(t);
}

}  // namespace

void fill_combine(Table& t) {
  simd::each_numeric_fold([&]<Scalar kOp>() { set_numeric<kOp>(t); });
  simd::each_logical_fold([&]<Scalar kOp>() { set_logical<kOp>(t); });
}

}  // namespace nvm::vm::kernels::NVM_ISA
