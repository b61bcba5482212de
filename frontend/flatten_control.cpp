// Conditionals and apply-to-each.
#include <algorithm>

#include "bytecode/base/check.h"
#include "frontend/flatten.h"

namespace nvm::frontend {

using core::Expr;
using core::ExprKind;
using core::TypeKind;
using flat::Atom;
using flat::Atoms;

namespace {

// Branches of so few scalar operations are evaluated both and selected from.
constexpr int kCheapOnLanes = 40;
constexpr int kCheapOnce = 8;

bool scalar_operations(const Expr& e, const Analysis& facts, const core::Program& program) {
  switch (e.kind) {
    case ExprKind::kEach:
    case ExprKind::kSeq:
    case ExprKind::kTime:
    case ExprKind::kString:
    case ExprKind::kEmpty:
    case ExprKind::kInput: return false;
    case ExprKind::kCall:
      if (!facts.of(e.id).inlined ||
          !scalar_operations(*program.functions[static_cast<std::size_t>(e.id)].body, facts, program))
        return false;
      break;
    case ExprKind::kPrim:
      if (!all_scalar(e.kids[0]->type) || !all_scalar(e.type)) return false;
      break;
    default: break;
  }
  return std::all_of(e.kids.begin(), e.kids.end(),
                     [&](const auto& kid) { return scalar_operations(*kid, facts, program); });
}

}  // namespace

bool Body::is_cheap(const Expr& e, const Lanes* lanes) const {
  const ExprFacts& f = facts(e);
  return !f.effect && !f.fails && all_scalar(e.type) &&
         f.weight <= (lanes == ops_.root() ? kCheapOnce : kCheapOnLanes) &&
         scalar_operations(e, all_.facts(), all_.source());
}

Val Body::conditional(const Expr& e, const Lanes* lanes) {
  const Val condition = eval(*e.kids[0], lanes);
  if (const Constant* value = b_.known(condition.atom))
    return eval(*e.kids[value->ints[0] != 0 ? 1 : 2], lanes);
  if (is_cheap(*e.kids[1], lanes) && is_cheap(*e.kids[2], lanes)) {
    const Val a = eval(*e.kids[1], lanes);
    return choose_flat(condition, a, eval(*e.kids[2], lanes), lanes);
  }
  if (condition.lanes == ops_.root()) return host_if(e, condition.atom, lanes);
  return split(e, condition, lanes);
}

// One decision for all instances.
Val Body::host_if(const Expr& e, Atom condition, const Lanes* lanes) {
  const bool effect = facts(e).effect;
  const Lanes* level = effect ? lanes : deeper(level_of_free(*e.kids[1]), level_of_free(*e.kids[2]));
  const auto outer = scope_.vars;
  const auto arm = [&](std::size_t which) {
    Atoms slots;
    ops_.slots(ops_.settle(eval(*e.kids[which], lanes), level), slots);
    scope_.vars = outer;
    return slots;
  };
  if (!effect && (facts(*e.kids[1]).fails || facts(*e.kids[2]).fails)) level = lanes;
  const Atoms results = b_.branch(
      condition, [&] { return arm(1); }, [&] { return arm(2); });
  std::size_t next = 0;
  return ops_.from_slots(e.type, level, results, next);
}

Val Body::split(const Expr& e, const Val& condition, const Lanes* lanes) {
  const Expr& a = *e.kids[1];
  const Expr& b = *e.kids[2];
  const Atom flags = ops_.at(condition, lanes);
  if (all_scalar(e.type)) {
    const bool a_cheap = is_cheap(a, lanes), b_cheap = is_cheap(b, lanes);
    if (b_cheap) return split_one(a, lanes, flags, eval(b, lanes));
    if (a_cheap) return split_one(b, lanes, b_.op(Op::kNot, TypeWord::kBool, {flags}), eval(a, lanes));
  }
  return split_both(a, &b, lanes, flags);
}

Atom Body::number_of(Atom flags, const Lanes* lanes) {
  const Atom ones = b_.op(Op::kBtoI, TypeWord::kNone, {flags});
  return b_.op(Op::kAddReduce, TypeWord::kInt, {ones, ops_.whole(lanes)});
}

// Evaluates `e` for the flagged instances, of which there are `taken` > 0. What it uses is packed unless all
// are flagged.
Body::Taken Body::take(const Expr* e, const core::Type* type, const Lanes* lanes, Atom flags, Atom taken) {
  std::vector<std::int32_t> names;
  std::vector<Val> values;
  Atoms whole_atoms;
  if (e)
    for (const std::int32_t v : facts(*e).free) {
      const auto it = scope_.vars.find(v);
      if (it == scope_.vars.end() || level(it->second)->depth < lanes->depth) continue;
      names.push_back(v);
      values.push_back(ops_.normal(it->second, lanes));
      ops_.collect(values.back(), lanes, whole_atoms);
    }
  const Atom all = ops_.whole(lanes);
  const Atom full = b_.op(Op::kEq, TypeWord::kInt, {taken, ops_.count(lanes)});
  const Lanes* flat = ops_.elements(ops_.root(), all);
  const auto unchanged = [&] {  // the places are not used then, but are what they would be: see ssa/lifted.cpp
    Atoms out = whole_atoms;
    out.push_back(all);
    out.push_back(ops_.iota(flat));
    return out;
  };
  const auto packed = [&] {
    const Atoms places = b_.ops(Op::kPack, TypeWord::kInt, {ops_.iota(flat), flags, all});
    const Lanes* some = ops_.chosen(lanes, flags, places[1]);
    const IndexMap map{lanes, some, places[0], all, places[1]};
    Atoms out;
    for (const Val& value : values)
      ops_.collect(all_scalar(value.type) ? ops_.gather(value, map) : ops_.pack(value, lanes, some, flags),
                   some, out);
    out.push_back(places[1]);
    out.push_back(places[0]);
    return out;
  };
  const Atoms inside = b_.branch(full, unchanged, packed);
  Taken result{{}, inside[inside.size() - 1], inside[inside.size() - 2]};
  const Lanes* some = ops_.chosen(lanes, flags, result.all);
  const auto outer = scope_.vars;
  std::size_t next = 0;
  for (std::size_t i = 0; i < names.size(); ++i)
    scope_.vars[names[i]] = ops_.rebuild(values[i], lanes, some, inside, next);
  ops_.slots(ops_.settle(e ? eval(*e, some) : ops_.zero(type), some), result.results);
  scope_.vars = outer;
  return result;
}

// `other` where the flag is false; scalars only.
Val Body::split_one(const Expr& e, const Lanes* lanes, Atom flags, const Val& other) {
  const Atom taken = number_of(flags, lanes);
  const auto rest = [&] {
    Atoms slots;
    ops_.slots(ops_.settle(other, lanes), slots);
    return slots;
  };
  const auto some = [&] {
    const Taken part = take(&e, e.type, lanes, flags, taken);
    const auto merge = [&] {
      Atoms merged = rest();
      std::vector<nvm::Type> kinds;
      slot_kinds(e.type, kinds);
      for (std::size_t i = 0; i < merged.size(); ++i) {
        const TypeWord word = kinds[i] == nvm::Type::kFloat  ? TypeWord::kFloat
                              : kinds[i] == nvm::Type::kBool ? TypeWord::kBool
                                                             : TypeWord::kInt;
        merged[i] = b_.op(Op::kDpermute, word,
                          {part.results[i], part.places, merged[i], part.all, ops_.whole(lanes)});
      }
      return merged;
    };
    const Atom full = b_.op(Op::kEq, TypeWord::kInt, {taken, ops_.count(lanes)});
    return b_.branch(
        full, [&] { return part.results; }, merge);
  };
  const Atom any = b_.op(Op::kGt, TypeWord::kInt, {taken, b_.integer(0)});
  const Atoms results = b_.branch(any, some, rest);
  std::size_t next = 0;
  return ops_.from_slots(e.type, lanes, results, next);
}

Val Body::split_both(const Expr& a, const Expr* b, const Lanes* lanes, Atom flags) {
  const core::Type* type = a.type;
  const Atom others = b_.op(Op::kNot, TypeWord::kBool, {flags});
  const Atom number_a = number_of(flags, lanes), number_all = ops_.count(lanes);
  const Atom number_b = b_.op(Op::kSub, TypeWord::kInt, {number_all, number_a});
  const auto arm = [&](const Expr* e, Atom chosen, Atom number) {
    const Atom any = b_.op(Op::kGt, TypeWord::kInt, {number, b_.integer(0)});
    const auto some = [&] {
      Taken part = take(e, type, lanes, chosen, number);
      part.results.push_back(part.all);
      part.results.push_back(part.places);
      return part.results;
    };
    const auto none = [&] {
      Atoms slots;
      ops_.empty_slots(type, slots);
      slots.push_back(b_.constant({TypeWord::kSegdes, {0}, {}}));
      slots.push_back(b_.constant({TypeWord::kInt, {}, {}}));
      return slots;
    };
    return b_.branch(any, some, none);
  };
  const Atoms from_a = arm(&a, flags, number_a);
  const Atoms from_b = arm(b, others, number_b);
  const std::size_t n = from_a.size() - 2;
  const auto first = [n](const Atoms& atoms) {
    return Atoms(atoms.begin(), atoms.begin() + static_cast<std::ptrdiff_t>(n));
  };
  const auto source = [&](const Atoms& atoms, Atom chosen) {
    const Lanes* some = ops_.chosen(lanes, chosen, atoms[n]);
    std::size_t next = 0;
    Val value = ops_.from_slots(type, some, atoms, next);
    return LaneOps::Source{std::move(value), some, atoms[n + 1], atoms[n], ops_.whole(lanes)};
  };
  const auto merged = [&] {
    Atoms slots;
    ops_.slots(ops_.scatter({source(from_a, flags), source(from_b, others)}, lanes), slots);
    return slots;
  };
  const Atoms results = b_.branch(
      b_.op(Op::kEq, TypeWord::kInt, {number_a, number_all}), [&] { return first(from_a); },
      [&] {
        return b_.branch(
            b_.op(Op::kEq, TypeWord::kInt, {number_b, number_all}), [&] { return first(from_b); }, merged);
      });
  std::size_t next = 0;
  return ops_.from_slots(type, lanes, results, next);
}

// Scalars selected element by element.
Val Body::choose_flat(const Val& condition, const Val& a, const Val& b, const Lanes* lanes) {
  if (a.type->kind == TypeKind::kUnit) return a;
  if (a.type->kind == TypeKind::kPair) {
    Val x = choose_flat(condition, a.kids[0], b.kids[0], lanes);
    return LaneOps::pair(std::move(x), choose_flat(condition, a.kids[1], b.kids[1], lanes));
  }
  if (a.lanes == b.lanes && a.atom == b.atom) return a;
  const Lanes* level = deeper(condition.lanes, deeper(a.lanes, b.lanes));
  return ops_.scalar(
      a.type, level,
      b_.op(Op::kSelect, word_of(a.type), {ops_.at(condition, level), ops_.at(a, level), ops_.at(b, level)}));
}

// select(): both values are there already.
Val Body::choose(const Val& condition, const Val& a, const Val& b) {
  if (all_scalar(a.type)) return choose_flat(condition, a, b, nullptr);
  const Lanes* lanes = deeper(condition.lanes, deeper(level(a), level(b)));
  const auto slots_of = [&](const Val& value) {
    Atoms slots;
    ops_.slots(ops_.settle(value, lanes), slots);
    return slots;
  };
  std::size_t next = 0;
  if (condition.lanes == ops_.root()) {
    const Atoms results = b_.branch(
        condition.atom, [&] { return slots_of(a); }, [&] { return slots_of(b); });
    return ops_.from_slots(a.type, lanes, results, next);
  }
  const Lanes* flat = ops_.elements(ops_.root(), ops_.whole(lanes));
  const Atom flags = ops_.at(condition, lanes);
  const auto source = [&](const Val& value, Atom chosen) {
    const Atoms places = b_.ops(Op::kPack, TypeWord::kInt, {ops_.iota(flat), chosen, flat->segments});
    const Lanes* some = ops_.chosen(lanes, chosen, places[1]);
    Val packed = ops_.pack(ops_.settle(value, lanes), lanes, some, chosen);
    return LaneOps::Source{std::move(packed), some, places[0], places[1], flat->segments};
  };
  const Atom others = b_.op(Op::kNot, TypeWord::kBool, {flags});
  return ops_.scatter({source(a, flags), source(b, others)}, lanes);
}

// ---- apply-to-each

Val Body::each(const Expr& e, const Lanes* lanes) {
  std::vector<Val> sources;
  const Lanes* outer = ops_.root();
  for (std::size_t i = 0; i < e.vars.size(); ++i) {
    sources.push_back(eval(*e.kids[i], lanes));
    outer = deeper(outer, level(sources.back()));
  }
  // The body sees its instances inside those of everything it uses.
  for (std::size_t i = e.vars.size(); i < e.kids.size(); ++i) {
    if (facts(*e.kids[i]).effect) outer = deeper(outer, lanes);
    for (const std::int32_t v : facts(*e.kids[i]).free)
      if (const auto it = scope_.vars.find(v);
          it != scope_.vars.end() && std::find(e.vars.begin(), e.vars.end(), v) == e.vars.end())
        outer = deeper(outer, level(it->second));
  }
  Val first = ops_.spread(sources[0], outer);
  const Lanes* inner = first.lanes;
  auto hidden = scope_.vars;
  std::vector<Val> elements{first.kids[0]};
  for (std::size_t i = 1; i < sources.size(); ++i)
    elements.push_back(
        same_lanes(ops_.spread(sources[i], outer), inner, lanes, "Length mismatch in an apply-to-each."));
  for (std::size_t i = 0; i < sources.size(); ++i) scope_.vars[e.vars[i]] = elements[i];
  Val result =
      e.sieve ? filtered(e, outer, inner) : ops_.sequence(inner, eval(*e.kids[e.vars.size()], inner));
  scope_.vars = std::move(hidden);
  return result;
}

// The sieve comes first and guards the body: what the body uses is packed.
Val Body::filtered(const Expr& e, const Lanes* outer, const Lanes* inner) {
  const Expr& body = *e.kids[e.vars.size()];
  const Val sieve = eval(*e.kids.back(), inner);
  const Atom flags = ops_.at(sieve, inner);
  std::vector<std::int32_t> names;
  Atom packed_segments = -1;
  const Lanes* to = nullptr;
  for (const std::int32_t v : facts(body).free) {
    const auto it = scope_.vars.find(v);
    if (it == scope_.vars.end() || level(it->second) != inner) continue;
    names.push_back(v);
  }
  // The first vector packed gives the new lengths too.
  for (const std::int32_t v : names) {
    if (packed_segments >= 0) break;
    Atoms atoms;
    const Val value = ops_.normal(scope_.vars.at(v), inner);
    std::vector<Val> parts;
    leaves(value, parts);
    for (const Val& part : parts)
      if (is_scalar(part.type) && part.lanes == inner && packed_segments < 0)
        packed_segments = b_.ops(Op::kPack, word_of(part.type), {part.atom, flags, inner->segments})[1];
  }
  if (packed_segments < 0) {
    const Atom ones = b_.op(Op::kBtoI, TypeWord::kNone, {flags});
    packed_segments = ops_.descriptor(b_.op(Op::kAddReduce, TypeWord::kInt, {ones, inner->segments}));
  }
  to = ops_.elements(outer, packed_segments);
  for (const std::int32_t v : names) {
    Val& value = scope_.vars.at(v);
    value = ops_.pack(ops_.normal(value, inner), inner, to, flags);
  }
  return ops_.sequence(to, eval(body, to));
}

}  // namespace nvm::frontend
