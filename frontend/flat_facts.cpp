// What the builder knows of the numbers in INT vectors: enough to leave out checks that cannot fail,
// whichever width INTs have when the code runs.
#include <algorithm>

#include "bytecode/base/stack.h"
#include "bytecode/table/op_kind.h"
#include "frontend/flat.h"

namespace nvm::frontend::flat {

namespace {

std::uint64_t pair_of(Atom a, Atom b) {
  return (static_cast<std::uint64_t>(a) << 32) | static_cast<std::uint32_t>(b);
}

}  // namespace

const Builder::Made* Builder::made(Atom atom) const {
  const auto it = made_.find(atom);
  return it == made_.end() ? nullptr : &it->second;
}

Atom Builder::copied(Atom atom) const {
  for (const Made* m = made(atom); m && m->op == Op::kDist; m = made(atom)) atom = m->args[0];
  return atom;
}

std::optional<std::int64_t> Builder::number(Atom atom) const {
  const Constant* constant = known(copied(atom));
  if (!constant || constant->word != TypeWord::kInt) return std::nullopt;
  return constant->ints[0];
}

// Facts are about the instances that were asked; copies of their numbers have them too, originals may not.
bool Builder::learned(Atom low, Atom high) const { return ordered_.find(pair_of(low, high)) != nullptr; }

// Does it select the greater of its two values, seen as `low` and `high` where the flag is true? With the two
// the other way round, the smaller.
bool Builder::picks(const Made& select, std::size_t high, std::size_t low) const {
  const Made* m = made(select.args[0]);
  if (!m || m->word != TypeWord::kInt || (m->op != Op::kLt && m->op != Op::kGt)) return false;
  const bool less = m->op == Op::kLt;
  return m->args[less ? 1 : 0] == select.args[high] && m->args[less ? 0 : 1] == select.args[low];
}

// What its making says, what was learned since, and what was learned of what it was made of.
Numbers Builder::numbers(Atom atom, int bits, int depth) const {
  const std::size_t width = bits == kWidths[0] ? 0 : 1;
  Numbers out = numbers_[static_cast<std::size_t>(atom)][width];
  if (const OfWidths* learned = refined_.find(atom)) out = meet(out, (*learned)[width]);
  if (const Atom original = copied(atom); original != atom)
    if (const OfWidths* learned = refined_.find(original)) out.each = meet(out.each, (*learned)[width].each);
  const Made* m = depth > 0 ? made(atom) : nullptr;
  if (!m) return out;
  out = meet(computed(*m, bits, depth - 1), out);
  if (m->op == Op::kSub && m->word == TypeWord::kInt && out.each.low < 0) {
    const Range a = numbers(m->args[0], bits, 0).each, b = numbers(m->args[1], bits, 0).each;
    if (!may_wrap(Scalar::kSub, bits, a, b) && not_above(m->args[1], m->args[0], depth - 1))
      out.each = meet(out.each, {0, INT64_MAX});
  }
  return out;
}

Numbers Builder::computed(const Made& by, int bits, int depth) const {
  std::vector<Numbers> operands;
  operands.reserve(by.args.size());
  for (const Atom arg : by.args) operands.push_back(numbers(arg, bits, depth));
  Numbers out = result_numbers(by.op, by.word, bits, operands);
  if (by.op == Op::kIndex) out.each = meet(out.each, counted_to_end(by, bits));
  if (by.op != Op::kSelect || by.word != TypeWord::kInt) return out;
  const bool greater = picks(by, 1, 2), smaller = picks(by, 2, 1);
  if (!greater && !smaller) return out;
  const std::array<Range, 2> two{operands[1].each, operands[2].each};
  out.each = meet(scalar_range(greater ? Scalar::kMax : Scalar::kMin, TypeWord::kInt, bits, two), out.each);
  return out;
}

// start, start + 1, ... of end - start numbers stay below the end.
Range Builder::counted_to_end(const Made& index, int bits) const {
  const Made* segments = made(index.args[2]);
  const Made* length =
      segments && segments->op == Op::kMakeSegdes ? made(copied(segments->args[0])) : nullptr;
  if (number(index.args[1]) != 1 || !length || length->op != Op::kSub || length->word != TypeWord::kInt)
    return {};
  const Range end = numbers(length->args[0], bits, 0).each, start = numbers(length->args[1], bits, 0).each;
  if (copied(length->args[1]) != copied(index.args[0]) || may_wrap(Scalar::kSub, bits, end, start)) return {};
  return {start.low, end.high > start.low ? end.high - 1 : start.low};
}

bool Builder::each_inside(Atom atom, const Range& range, int depth) const {
  return std::all_of(kWidths.begin(), kWidths.end(),
                     [&](int bits) { return numbers(atom, bits, depth).each.inside(range); });
}

bool Builder::are_lengths(Atom atom) const {
  return std::all_of(kWidths.begin(), kWidths.end(),
                     [&](int bits) { return nvm::are_lengths(numbers(atom, bits), bits); });
}

bool Builder::exact(Scalar scalar, Atom a, Atom b, int depth) const {
  return std::none_of(kWidths.begin(), kWidths.end(), [&](int bits) {
    return may_wrap(scalar, bits, numbers(a, bits, depth).each, numbers(b, bits, depth).each);
  });
}

bool Builder::not_above(Atom a, Atom b, int depth) const {
  if (learned(a, b)) return true;
  a = copied(a);
  b = copied(b);
  if (a == b || learned(a, b)) return true;
  const auto below = [&](int bits) {
    return numbers(a, bits, depth).each.high <= numbers(b, bits, depth).each.low;
  };
  if (std::all_of(kWidths.begin(), kWidths.end(), below)) return true;
  const Made* m = made(a);
  if (!m || m->word == TypeWord::kFloat || depth == 0) return false;
  const auto positive = [&](Atom atom) { return each_inside(atom, {1, INT64_MAX}, depth - 1); };
  switch (m->op) {
    case Op::kRshift: return not_negative(m->args[0], depth - 1) && not_above(m->args[0], b, depth - 1);
    case Op::kAdd: {
      if (!exact(Scalar::kAdd, m->args[0], m->args[1], depth - 1)) return false;
      const auto lowers = [&](std::size_t by) { return each_inside(m->args[by], {INT64_MIN, 0}, depth - 1); };
      return (lowers(1) && not_above(m->args[0], b, depth - 1)) ||
             (lowers(0) && not_above(m->args[1], b, depth - 1));
    }
    case Op::kSub:
      return not_negative(m->args[0], depth - 1) && not_negative(m->args[1], depth - 1) &&
             not_above(m->args[0], b, depth - 1);
    case Op::kSelect:
      return m->word == TypeWord::kInt && picks(*m, 2, 1) &&
             (not_above(m->args[1], b, depth - 1) || not_above(m->args[2], b, depth - 1));
    case Op::kDiv: {
      if (!positive(m->args[1]) || !not_negative(m->args[0], depth - 1)) return false;
      if (not_above(m->args[0], b, depth - 1)) return true;
      // (n + k) / d is at most n if k < d.
      const Made* sum = made(copied(m->args[0]));
      if (!sum || sum->op != Op::kAdd || sum->word != TypeWord::kInt) return false;
      const auto k = number(sum->args[1]), d = number(m->args[1]);
      return k && d && *k >= 0 && *k < *d && exact(Scalar::kAdd, sum->args[0], sum->args[1], depth - 1) &&
             not_negative(sum->args[0], depth - 1) && not_above(sum->args[0], b, depth - 1);
    }
    default: return false;
  }
}

std::optional<bool> Builder::decided(Op op, Atom a, Atom b) const {
  switch (op) {
    case Op::kLe:
      if (not_above(a, b)) return true;
      break;
    case Op::kGe:
      if (not_above(b, a)) return true;
      break;
    case Op::kLt:
      if (not_above(b, a)) return false;
      break;
    case Op::kGt:
      if (not_above(a, b)) return false;
      break;
    case Op::kEq:
    case Op::kNe:
      if (copied(a) == copied(b)) return op == Op::kEq;
      break;
    default: break;
  }
  return std::nullopt;
}

void Builder::learn(Atom flags, bool value) {
  check_stack();
  const Made* m = made(flags);
  if (!m) return;
  const Made fact = *m;
  if (fact.op == Op::kNot && fact.word == TypeWord::kBool) return learn(fact.args[0], !value);
  if (fact.word == TypeWord::kBool && fact.op == (value ? Op::kAnd : Op::kOr)) {
    learn(fact.args[0], value);
    learn(fact.args[1], value);
  }
  if (fact.word != TypeWord::kInt || fact.args.size() != 2) return;
  const Op op = value ? fact.op : inverse_of(fact.op).value_or(Op::kRet);
  if (op == Op::kLe || op == Op::kLt || op == Op::kEq) learn_order(fact.args[0], fact.args[1], op == Op::kLt);
  if (op == Op::kGe || op == Op::kGt || op == Op::kEq) learn_order(fact.args[1], fact.args[0], op == Op::kGt);
}

void Builder::learn_order(Atom low, Atom high, bool strict) {
  ordered_.set(pair_of(low, high), true);
  OfWidths below, above;
  for (std::size_t w = 0; w < kWidths.size(); ++w) {
    const Range a = numbers(low, kWidths[w]).each, b = numbers(high, kWidths[w]).each;
    const bool step = strict && b.high > a.low;  // else no run gets here
    below[w].each.high = b.high - (step ? 1 : 0);
    above[w].each.low = a.low + (step ? 1 : 0);
  }
  refine(low, below);
  refine(high, above);
}

void Builder::refine(Atom atom, const OfWidths& known) {
  const OfWidths* before = refined_.find(atom);
  OfWidths now = known;
  if (before)
    for (std::size_t w = 0; w < kWidths.size(); ++w) now[w] = meet((*before)[w], known[w]);
  refined_.set(atom, now);
}

std::optional<Op> inverse_of(Op comparison) {
  if (map_algebra(comparison) != Algebra::kRelation) return std::nullopt;
  return elementwise_op(inverse(op_info(comparison).scalar));
}

}  // namespace nvm::frontend::flat
