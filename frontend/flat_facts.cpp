// What the builder knows of the numbers in INT vectors: enough to leave out checks that cannot fail.
#include <algorithm>

#include "frontend/flat.h"

namespace nvm::frontend::flat {

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
bool Builder::learned(Atom low, Atom high) const {
  for (const Scope& scope : scopes_)
    if (std::find(scope.ordered.begin(), scope.ordered.end(), std::pair(low, high)) != scope.ordered.end())
      return true;
  return false;
}

// Does it select the greater of its two values, seen as `low` and `high` where the flag is true? With the two
// the other way round, the smaller.
bool Builder::picks(const Made& select, std::size_t high, std::size_t low) const {
  const Made* m = made(select.args[0]);
  if (!m || m->word != TypeWord::kInt || (m->op != Op::kLt && m->op != Op::kGt)) return false;
  const bool less = m->op == Op::kLt;
  return m->args[less ? 1 : 0] == select.args[high] && m->args[less ? 0 : 1] == select.args[low];
}

bool Builder::not_negative(Atom atom, int depth) const {
  // Where a descriptor was made of lengths, none of them was negative.
  const std::vector<std::int32_t> descriptor{static_cast<std::int32_t>(Op::kMakeSegdes),
                                             static_cast<std::int32_t>(TypeWord::kNone), atom};
  for (const Scope& scope : scopes_)
    if (scope.seen.contains(descriptor)) return true;
  for (const Scope& scope : scopes_)
    for (const auto& [low, high] : scope.ordered)
      if (high == atom && number(low).value_or(-1) >= 0) return true;
  if (const Atom original = copied(atom); original != atom) return not_negative(original, depth);
  if (const auto n = number(atom)) return *n >= 0;
  const Made* m = made(atom);
  if (!m || depth == 0) return false;
  const auto of = [&](std::size_t i) { return not_negative(m->args[i], depth - 1); };
  const auto least = [&](std::size_t i) { return number(m->args[i]).value_or(0); };
  switch (m->op) {
    case Op::kLength:
    case Op::kLengths:
    case Op::kBtoI: return true;
    case Op::kExtract:
    case Op::kBpermute:
    case Op::kPermute:
    case Op::kPack:
    case Op::kAddScan:
    case Op::kAddReduce:
    case Op::kRshift: return m->word != TypeWord::kFloat && of(0);
    case Op::kReplace:
    case Op::kDpermute: return m->word == TypeWord::kInt && of(0) && of(2);
    case Op::kSelect: return m->word == TypeWord::kInt && (picks(*m, 1, 2) ? of(1) || of(2) : of(1) && of(2));
    case Op::kAdd:
    case Op::kIndex: return m->word != TypeWord::kFloat && of(0) && of(1);
    case Op::kDiv: return m->word == TypeWord::kInt && of(0) && least(1) > 0;
    case Op::kSub: return m->word == TypeWord::kInt && not_above(m->args[1], m->args[0], depth - 1);
    default: return false;
  }
}

bool Builder::not_above(Atom a, Atom b, int depth) const {
  if (learned(a, b)) return true;
  a = copied(a);
  b = copied(b);
  if (a == b) return true;
  const auto x = number(a), y = number(b);
  if (x && y) return *x <= *y;
  if (learned(a, b) || (x && *x <= 0 && not_negative(b, depth))) return true;
  const Made* m = made(a);
  if (!m || m->word == TypeWord::kFloat || depth == 0) return false;
  const auto least = [&](std::size_t i) { return number(m->args[i]).value_or(0); };
  switch (m->op) {
    case Op::kRshift: return not_negative(m->args[0], depth - 1) && not_above(m->args[0], b, depth - 1);
    case Op::kSub:
      return not_negative(m->args[0], depth - 1) && not_negative(m->args[1], depth - 1) &&
             not_above(m->args[0], b, depth - 1);
    case Op::kSelect:
      return m->word == TypeWord::kInt && picks(*m, 2, 1) &&
             (not_above(m->args[1], b, depth - 1) || not_above(m->args[2], b, depth - 1));
    case Op::kDiv: {
      if (least(1) < 1 || !not_negative(m->args[0], depth - 1)) return false;
      if (not_above(m->args[0], b, depth - 1)) return true;
      // (n + k) / d is at most n if k < d.
      const Made* sum = made(copied(m->args[0]));
      if (!sum || sum->op != Op::kAdd || sum->word != TypeWord::kInt) return false;
      const auto k = number(sum->args[1]);
      return k && *k >= 0 && *k < least(1) && not_negative(sum->args[0], depth - 1) &&
             not_above(sum->args[0], b, depth - 1);
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
  auto& ordered = scopes_.back().ordered;
  if (op == Op::kLe || op == Op::kLt || op == Op::kEq) ordered.emplace_back(fact.args[0], fact.args[1]);
  if (op == Op::kGe || op == Op::kGt || op == Op::kEq) ordered.emplace_back(fact.args[1], fact.args[0]);
}

std::optional<Op> inverse_of(Op comparison) {
  switch (comparison) {
    case Op::kLt: return Op::kGe;
    case Op::kGe: return Op::kLt;
    case Op::kGt: return Op::kLe;
    case Op::kLe: return Op::kGt;
    case Op::kEq: return Op::kNe;
    case Op::kNe: return Op::kEq;
    default: return std::nullopt;
  }
}

}  // namespace nvm::frontend::flat
