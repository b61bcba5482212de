// Reductions of one segment in the order of reduce_tree.h, which INT and BOOL need not follow.
#pragma once

#include "vm/simd/fold_ops.h"
#include "vm/simd/octet.h"
#include "vm/simd/reduce_tree.h"
#include "vm/simd/tree_totals.h"

namespace nvm::vm::simd {

namespace {

// The 16 lanes of a block that is being reduced.
template <typename Op, typename T>
void start_lanes(T* lane) {
  for (i64 l = 0; l < kReduceLanes; ++l) lane[l] = Op::template identity<T>();
}
// x[0..m) are the block's elements from number `phase` (modulo the lanes) on.
template <typename Op, typename T>
void append_lanes(T* lane, i64 phase, const T* x, i64 m) {
  i64 i = 0;
  for (; i < m && (phase + i) % kReduceLanes != 0; ++i) {
    T& l = lane[(phase + i) % kReduceLanes];
    l = Op::apply(l, x[i]);
  }
  using O = Octet<T>;
  O a = O::load(lane);
  O b = O::load(lane + 8);
  for (; i + kReduceLanes <= m; i += kReduceLanes) {
    a = O::template apply<Op>(a, O::load(x + i));
    b = O::template apply<Op>(b, O::load(x + i + 8));
  }
  a.store(lane);
  b.store(lane + 8);
  for (i64 l = 0; i < m; ++i, ++l) lane[l] = Op::apply(lane[l], x[i]);
}
template <typename Op, typename T>
T fold_lanes(const T* lane) {
  return Octet<T>::template fold<Op>(Octet<T>::load(lane), Octet<T>::load(lane + 8));
}

// A block: up to kReduceBlock elements. Lanes stay in registers: stored one by one and loaded eight at a time
// they would take as long as 50 elements more.
template <typename Op, typename T>
T reduce_block(const T* x, i64 m) {
  if constexpr (kFirstOfOctet<T>) {
    using O = Octet<T>;
    O a = O::all(Op::template identity<T>());
    O b = a;
    i64 i = 0;
    for (; i + kReduceLanes <= m; i += kReduceLanes) {
      a = O::template apply<Op>(a, O::load(x + i));
      b = O::template apply<Op>(b, O::load(x + i + 8));
    }
    if (const i64 left = m - i; left > 8) {
      a = O::template apply<Op>(a, O::load(x + i));
      b = apply_first<Op>(b, x + i + 8, left - 8);
    } else if (left > 0) {
      a = apply_first<Op>(a, x + i, left);
    }
    return O::template fold<Op>(a, b);
  }
  alignas(64) T lane[kReduceLanes];
  start_lanes<Op>(lane);
  append_lanes<Op>(lane, 0, x, m);
  return fold_lanes<Op>(lane);
}

// Left to right; In may be narrower than Acc.
template <typename Op, typename Acc, typename In>
Acc reduce_in_order(const In* x, i64 n) {
  Acc acc = Op::template identity<Acc>();
  for (i64 i = 0; i < n; ++i) acc = Op::apply(acc, static_cast<Acc>(x[i]));
  return acc;
}

// Of more than kSequentialMax elements; apart, since the totals' state would burden who reduces short
// segments.
template <typename Op, typename T>
[[gnu::noinline]] T reduce_long(const T* x, i64 n) {
  if (n <= kReduceBlock) return Op::apply(Op::template identity<T>(), reduce_block<Op>(x, n));
  using Combine = CombineTotals<Op, T>;
  Totals totals;
  Combine::start(totals);
  for (i64 i = 0; i < n; i += kReduceBlock)
    Combine::push(totals, reduce_block<Op>(x + i, n - i < kReduceBlock ? n - i : kReduceBlock));
  return Combine::finish(totals);
}

// A segment of any length.
template <typename Op, typename T>
T reduce_segment(const T* x, i64 n) {
  return n <= kSequentialMax ? reduce_in_order<Op, T>(x, n) : reduce_long<Op>(x, n);
}

}  // namespace

}  // namespace nvm::vm::simd
