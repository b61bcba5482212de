// The algebra of the builder: operations whose result is there already, or is had for less. INT wraps in all
// of it.
#include <algorithm>
#include <cmath>

#include "bytecode/base/stack.h"
#include "bytecode/table/op_kind.h"
#include "frontend/flat.h"

namespace nvm::frontend::flat {

// Scalar arithmetic on constants, where the result is the same for every width of INT; and a few laws.
std::optional<Atom> Builder::fold(Op op, TypeWord word, const Atoms& args) {
  check_stack();
  if (op == Op::kNot && word == TypeWord::kBool) return fold_not(args[0]);
  if (op == Op::kLengths || op == Op::kMakeSegdes) return fold_shape(op, args[0]);
  if (word == TypeWord::kInt) {
    if (op == Op::kSelect) return fold_select(args);
    if (op == Op::kAddReduce) return fold_sum(args[0], args[1]);
  }
  if (args.size() != 2 || op_info(op).kind != OpKind::kMap) return std::nullopt;
  const Constant* x = known(args[0]);
  const Constant* y = known(args[1]);
  if (word == TypeWord::kBool && (op == Op::kAnd || op == Op::kOr)) {
    for (const Constant* constant : {x, y}) {
      if (!constant) continue;
      const bool decides = (constant->ints[0] != 0) == (op == Op::kOr);
      if (!decides) return constant == x ? args[1] : args[0];
      if (x && y) return boolean(op == Op::kOr);
    }
  }
  if (x && y && word == TypeWord::kFloat) return fold_numbers(op, word, {0, x->floats[0]}, {0, y->floats[0]});
  if (word != TypeWord::kInt) return std::nullopt;
  if (x && y) return fold_numbers(op, word, {x->ints[0]}, {y->ints[0]});
  return fold_arithmetic(op, args[0], args[1]);
}

// Descriptors of one segment; a descriptor of the lengths of one, and the other way round.
std::optional<Atom> Builder::fold_shape(Op op, Atom of) {
  if (const Made* m = made(of); m && m->op == (op == Op::kLengths ? Op::kMakeSegdes : Op::kLengths))
    return m->args[0];
  const Constant* x = known(of);
  if (!x || x->ints[0] < 0 || x->ints[0] >= too_long(IntBits::k32))
    return std::nullopt;  // for the run to say
  return op == Op::kLengths ? integer(x->ints[0]) : constant({TypeWord::kSegdes, {x->ints[0]}, {}});
}

std::optional<Atom> Builder::fold_arithmetic(Op op, Atom a, Atom b) {
  const auto x = number(a), y = number(b);
  if (y == 0 && (op == Op::kAdd || op == Op::kSub)) return a;
  if (x == 0 && op == Op::kAdd) return b;
  if (y == 1 && op == Op::kDiv) return a;
  if (op == Op::kMul) {
    if (y == 1 || x == 0) return a;
    if (x == 1 || y == 0) return b;
  }
  const Made* m = made(a);
  const Made* n = made(b);
  if (m && n && m->op == Op::kDist && n->op == Op::kDist && m->args[1] == n->args[1] && x && y &&
      fold_numbers(op, TypeWord::kInt, {*x}, {*y})) {
    const Atom segments = m->args[1];  // of as many segments as what is copied has elements
    const Atom both = this->op(op, TypeWord::kInt, {m->args[0], n->args[0]});
    return this->op(Op::kDist, kind(both) == nvm::Type::kBool ? TypeWord::kBool : TypeWord::kInt,
                    {both, segments});
  }
  const auto is = [](const Made* of, Op what) { return of && of->op == what && of->word == TypeWord::kInt; };
  if (op == Op::kAdd && is(n, Op::kSub) && n->args[1] == a) return n->args[0];  // a + (c - a)
  if (op == Op::kAdd && is(m, Op::kSub) && m->args[1] == b) return m->args[0];
  if (op == Op::kSub && is(m, Op::kAdd) && m->args[0] == b) return m->args[1];  // (b + c) - b
  if (op == Op::kSub && is(m, Op::kAdd) && m->args[1] == b) return m->args[0];
  return std::nullopt;
}

// Of two numbers the one that is not smaller, said in the other way, so that it shares the comparison of the
// one that is not greater.
std::optional<Atom> Builder::fold_select(const Atoms& args) {
  const Made* m = made(args[0]);
  if (!m || m->op != Op::kGt || m->word != TypeWord::kInt || m->args[0] != args[1] || m->args[1] != args[2])
    return std::nullopt;
  const Atom less = op(Op::kLt, TypeWord::kInt, {args[1], args[2]});
  return ops(Op::kSelect, TypeWord::kInt, {less, args[2], args[1]}).front();  // which may be a > itself
}

// The sum over segments whose lengths are one known number, of another one; or over segments of two that hold
// two numbers each.
std::optional<Atom> Builder::fold_sum(Atom vector, Atom segments) {
  const Made* by = made(vector);
  const Made* cut = made(segments);
  if (!by || (by->op != Op::kDist && by->op != Op::kReplace)) return std::nullopt;
  const Made put = *by;
  const Constant* constant = known(segments);
  const Atom lengths = cut && cut->op == Op::kMakeSegdes ? cut->args[0]
                       : constant                        ? integer(constant->ints[0])
                                                         : -1;
  const auto each = lengths < 0 ? std::nullopt : number(lengths);
  if (!each) return std::nullopt;
  if (put.op == Op::kDist) {
    const auto x = number(vector);
    const auto all = x ? fold_numbers(Op::kMul, TypeWord::kInt, {*x}, {*each}) : std::nullopt;
    const Made* copies = made(lengths);
    if (!all || constant || known(lengths)) return all;
    if (!copies || copies->op != put.op || !known(copies->args[0])) return std::nullopt;
    const Atom along = copies->args[1];
    return op(put.op, TypeWord::kInt, {*all, along});
  }
  const Made* rest = made(put.args[0]);
  const auto place = number(put.args[1]);
  if (put.args[3] != segments || !rest || rest->op != Op::kDist || rest->args[1] != segments || !place ||
      *place < 0 || *place > 1 || each != 2)
    return std::nullopt;
  return op(Op::kAdd, TypeWord::kInt, {rest->args[0], put.args[2]});
}

// The inverse of whole numbers' comparisons is one; of "both" and "either", of such, as well.
std::optional<Atom> Builder::fold_not(Atom flags) {
  check_stack();
  if (const Constant* x = known(flags)) return boolean(x->ints[0] == 0);
  const Made* m = made(flags);
  if (!m) return std::nullopt;
  const Made of = *m;
  if (of.op == Op::kNot && of.word == TypeWord::kBool) return of.args[0];
  if (const auto inverse = inverse_of(of.op); inverse && of.word == TypeWord::kInt)
    return op(*inverse, of.word, of.args);
  if (of.word != TypeWord::kBool || (of.op != Op::kAnd && of.op != Op::kOr)) return std::nullopt;
  const auto a = fold_not(of.args[0]);
  const auto b = a ? fold_not(of.args[1]) : std::nullopt;
  if (!b) return std::nullopt;
  return op(of.op == Op::kAnd ? Op::kOr : Op::kAnd, of.word, {*a, *b});
}

// What is no number is left to the run: its sign is the processor's.
std::optional<Atom> Builder::fold_numbers(Op op, TypeWord word, ssa::Element x, ssa::Element y) {
  const auto narrow = [](std::int64_t n) {
    return n >= INT32_MIN && n <= INT32_MAX;
  };  // any width computes it
  if (!narrow(x.i) || !narrow(y.i)) return std::nullopt;
  const Scalar scalar = op_info(op).scalar;
  const bool folds = scalar == Scalar::kAdd || scalar == Scalar::kSub || scalar == Scalar::kMul ||
                     (scalar == Scalar::kDiv && word == TypeWord::kFloat);
  if (!folds && !is_relation(scalar)) return std::nullopt;
  const ssa::Element both[2] = {x, y};
  const auto z = ssa::evaluate(scalar, word, IntBits::k64, both);
  if (!z) return std::nullopt;
  if (!folds) return boolean(z->i != 0);
  if (word == TypeWord::kInt) return narrow(z->i) ? std::optional(integer(z->i)) : std::nullopt;
  return std::isfinite(z->f) ? std::optional(real(z->f)) : std::nullopt;
}

}  // namespace nvm::frontend::flat
