// Ranges: [start : end : step].
#include "bytecode/base/check.h"
#include "frontend/flatten.h"

namespace nvm::frontend {

using core::Expr;
using core::TypeKind;
using flat::Atom;

Val Body::range(const Expr& e, const Val& start, const Val& step, const Val& end, const Lanes* lanes) {
  const Constant* by = b_.known(step.atom);
  const bool by_one = by && by->ints[0] == 1;
  const auto less = [&](const Val& x, const Val& y) {
    return map2(Op::kLt, TypeWord::kInt, TypeKind::kBool, x, y);
  };
  const auto minus = [&](const Val& x, const Val& y) {
    return map2(Op::kSub, TypeWord::kInt, TypeKind::kInt, x, y);
  };
  const auto known_zero = [&](const Val& x) {
    const Constant* value = b_.known(x.atom);
    return value && value->ints[0] == 0;
  };
  // A negative length is an error of the descriptor too, which is enough for a library.
  if (!by_one)
    check_numbers(
        map2(Op::kOr, TypeWord::kBool, TypeKind::kBool, less(step, ops_.integer(1)), less(end, start)), lanes,
        "In [s:e:d], e must not be less than s, and d must be positive.", "s, e and d", {start, end, step});
  else if (e.line != 0)
    check_numbers(less(end, start), lanes, "In [s:e], e must not be less than s.", "s and e", {start, end});
  Val length = known_zero(start) ? end : minus(end, start);
  if (!by_one)
    length = known_zero(start) || b_.subtracts(end.atom, start.atom) ? rounded_up(length, step)
                                                                     : steps_between(start, end, step);
  const Lanes* outer = deeper(length.lanes, deeper(start.lanes, step.lanes));
  const bool sound = b_.are_lengths(length.atom);  // before the descriptor says so
  const Atom segments = ops_.descriptor(ops_.at(length, outer));
  if (!sound) b_.keep(segments);
  const Lanes* inner = ops_.elements(outer, segments);
  return ops_.sequence(inner, integer(inner, ops_.iota(start, step, inner)));
}

// x / y, and one more if that leaves a rest; neither is negative. x + y may be no INT.
Val Body::rounded_up(const Val& x, const Val& y) {
  const auto numbers = [&](Op op, const Val& a, const Val& b) {
    return map2(op, op == Op::kRem ? TypeWord::kNone : TypeWord::kInt, TypeKind::kInt, a, b);
  };
  const Val less = numbers(Op::kSub, y, ops_.integer(1));
  if (b_.adds(x.atom, less.atom)) return numbers(Op::kDiv, numbers(Op::kAdd, x, less), y);
  const Val rest = map2(Op::kNe, TypeWord::kInt, TypeKind::kBool, numbers(Op::kRem, x, y), ops_.integer(0));
  return numbers(Op::kAdd, numbers(Op::kDiv, x, y), map1(Op::kBtoI, TypeWord::kNone, TypeKind::kInt, rest));
}

// How many of start, start + step, ... are less than `end`, which is not less than `start`; none where it is
// equal. The difference of the two may be no INT: quotients are subtracted, rounded down.
Val Body::steps_between(const Val& start, const Val& end, const Val& step) {
  const auto numbers = [&](Op op, const Val& a, const Val& b) {
    return map2(op, op == Op::kRem ? TypeWord::kNone : TypeWord::kInt, TypeKind::kInt, a, b);
  };
  const auto one_if = [&](Op op, const Val& a, const Val& b) {
    return map1(Op::kBtoI, TypeWord::kNone, TypeKind::kInt, map2(op, TypeWord::kInt, TypeKind::kBool, a, b));
  };
  const Val none = ops_.integer(0), some = one_if(Op::kLt, start, end);
  const Val last = numbers(Op::kSub, end, some);  // an INT, as `start` is less
  const Val over = numbers(Op::kRem, last, step), under = numbers(Op::kRem, start, step);
  // x / d rounded down is x / d, less one where the rest is negative.
  const auto rest = [&](const Val& r) {
    return numbers(Op::kAdd, r, numbers(Op::kMul, step, one_if(Op::kLt, r, none)));
  };
  const auto down = [&](const Val& x, const Val& r) {
    return numbers(Op::kSub, numbers(Op::kDiv, x, step), one_if(Op::kLt, r, none));
  };
  const Val whole = numbers(Op::kSub, down(last, over), down(start, under));
  const Val all = numbers(Op::kAdd, whole, one_if(Op::kGe, rest(over), rest(under)));
  return numbers(Op::kMul, all, some);
}

}  // namespace nvm::frontend
