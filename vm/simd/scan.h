// Exclusive scans of one block, in the order of reduce_tree.h, for FLOAT and for INT of the accumulator's
// width.
#pragma once

#include "vm/simd/fold_ops.h"
#include "vm/simd/octet.h"
#include "vm/simd/reduce_tree.h"

namespace nvm::vm::simd {

namespace {

// Whole groups x[0..m) behind `local` of their block and the carry in front of it; gives `local` behind them.
// kEmit: with results; else only that.
template <typename Op, bool kEmit, typename T>
T scan_groups(const T* x, i64 m, T carry, T local, T* out) {
  using O = Octet<T>;
  const O id = O::all(Op::template identity<T>());
  const O in_front = O::all(carry);
  O sum = O::all(local);
  for (i64 i = 0; i < m; i += kScanGroup) {
    const O s = O::load(x + i).template inclusive<Op>();
    if constexpr (kEmit)
      O::template apply<Op>(in_front, O::template apply<Op>(sum, s.shifted(id))).store(out + i);
    sum = O::template apply<Op>(sum, s.last());
  }
  return sum.lane(0);
}

// Elements from..to-1 of a group, of which group[0..to) are known; results of those, and what behind the
// group becomes of `local` if it is complete.
template <typename Op, bool kEmit, typename T>
T scan_part(const T* group, i64 from, i64 to, T carry, T local, T* out) {
  using O = Octet<T>;
  const O s = O::load(group).template inclusive<Op>();
  const O sum = O::all(local);
  if constexpr (kEmit) {
    alignas(64) T result[kScanGroup];
    O::template apply<Op>(O::all(carry),
                          O::template apply<Op>(sum, s.shifted(O::all(Op::template identity<T>()))))
        .store(result);
    for (i64 i = from; i < to; ++i) out[i - from] = result[i];
  }
  return to == kScanGroup ? O::template apply<Op>(sum, s.last()).lane(0) : local;
}

// A block of up to kReduceBlock elements from its start; gives `local` behind it if m is a multiple of the
// group.
template <typename Op, bool kEmit, typename T>
T scan_block(const T* x, i64 m, T carry, T* out) {
  const i64 whole = m / kScanGroup * kScanGroup;
  const T local = scan_groups<Op, kEmit>(x, whole, carry, Op::template identity<T>(), out);
  if (whole == m) return local;
  alignas(64) T group[kScanGroup] = {};
  for (i64 i = whole; i < m; ++i) group[i - whole] = x[i];
  return scan_part<Op, kEmit>(group, 0, m - whole, carry, local, kEmit ? out + whole : nullptr);
}

// Left to right; gives the carry behind. In may be narrower than Acc; out may be v if it is not.
template <typename Op, bool kEmit, typename Acc, typename In>
Acc scan_in_order(const In* v, i64 n, Acc acc, Acc* out) {
  for (i64 i = 0; i < n; ++i) {
    const Acc x = static_cast<Acc>(v[i]);
    if constexpr (kEmit) out[i] = acc;
    acc = Op::apply(acc, x);
  }
  return acc;
}

}  // namespace

}  // namespace nvm::vm::simd
