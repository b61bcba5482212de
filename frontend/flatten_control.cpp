// Conditionals and apply-to-each.
#include <algorithm>
#include <utility>

#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"
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
constexpr int kTwice = 60;  // nodes of a branch whose code may stand in two places
constexpr int kLoop = 300;  // the same of a branch that calls itself

bool scalar_operations(const Expr& e, const Analysis& facts, const core::Program& program) {
  check_stack();
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

std::size_t index_of(const Atoms& atoms, Atom atom) {
  return static_cast<std::size_t>(std::find(atoms.begin(), atoms.end(), atom) - atoms.begin());
}

// Names what is there already, or part of it.
bool is_there(const Expr& e) {
  check_stack();
  switch (e.kind) {
    case ExprKind::kVar: return true;
    case ExprKind::kPair: return is_there(*e.kids[0]) && is_there(*e.kids[1]);
    case ExprKind::kFirst:
    case ExprKind::kSecond: return is_there(*e.kids[0]);
    default: return false;
  }
}

// Calls a recursive function for the instances there are, not for the elements of theirs.
bool goes_round(const Expr& e, const Analysis& facts) {
  check_stack();
  if (!facts.of(e).recurs) return false;
  if (e.kind == ExprKind::kCall && facts.of(e.id).recursive) return true;
  const std::size_t own = e.kind == ExprKind::kEach ? e.vars.size() : e.kids.size();
  return std::any_of(e.kids.begin(), e.kids.begin() + static_cast<std::ptrdiff_t>(own),
                     [&](const auto& kid) { return goes_round(*kid, facts); });
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
  const std::size_t outer = scope_.vars.now();
  const auto arm = [&](std::size_t which) {
    Atoms slots;
    ops_.slots(ops_.settle(eval(*e.kids[which], lanes), level), slots);
    scope_.vars.back_to(outer);
    return slots;
  };
  if (!effect && (facts(*e.kids[1]).fails || facts(*e.kids[2]).fails)) level = lanes;
  const Atoms results = b_.branch(
      condition, [&] { return arm(1); }, [&] { return arm(2); });
  std::size_t next = 0;
  return ops_.from_slots(e.type, level, results, next);
}

// Instances part ways. Whether all or some of them have a flag tells which code has anybody to run it: that
// an instance runs a branch is known wherever its code stands, for recursion would not end otherwise.
Val Body::split(const Expr& e, const Val& condition, const Lanes* lanes) {
  const Expr& a = *e.kids[1];
  const Expr& b = *e.kids[2];
  const Flags flags{lanes, ops_.at(condition, lanes)};
  if (all_scalar(e.type)) {
    if (is_cheap(b, lanes)) return split_one(a, flags, eval(b, lanes));
    if (is_cheap(a, lanes)) return split_one(b, flags.inverse(), eval(a, lanes));
  }
  const bool either = !facts(a).effect && !facts(b).effect;
  if (either && may_be_first(a) && (!may_be_first(b) || facts(a).weight <= facts(b).weight))
    return split_first(a, b, flags);
  if (either && may_be_first(b)) return split_first(b, a, flags.inverse());
  return split_both(a, &b, flags);
}

Atom Body::here(const Flags& flags) {
  if (!flags.inverted) return flags.flags;
  return b_.ops(Op::kNot, TypeWord::kBool, {flags.flags}).front();
}

Atoms Body::if_all(const Flags& flags, const Arm& yes, const Arm& no) {
  const Op op = flags.inverted ? Op::kOrReduce : Op::kAndReduce;
  const Atom answer = b_.op(op, TypeWord::kBool, {flags.flags, ops_.whole(flags.lanes)});
  return flags.inverted ? b_.branch(answer, no, yes) : b_.branch(answer, yes, no);
}

Atoms Body::if_some(const Flags& flags, const Arm& yes, const Arm& no) {
  return if_all(flags.inverse(), no, yes);
}

// Its code may stand in two places, and run for no instance at all.
bool Body::may_be_first(const Expr& e) const { return !facts(e).recurs && facts(e).weight <= kTwice; }

// Evaluates `e` for the flagged instances, of which there are some. What it uses is packed unless all are
// flagged.
Body::Taken Body::take(const Expr* e, const core::Type* type, const Flags& flags, Share share) {
  const Lanes* lanes = flags.lanes;
  std::vector<std::int32_t> names;
  std::vector<Val> values;
  Atoms whole_atoms;
  if (e)
    for (const std::int32_t v : facts(*e).free) {
      const Val* value = scope_.vars.find(v);
      if (!value || level(*value)->depth < lanes->depth) continue;
      names.push_back(v);
      values.push_back(ops_.normal(*value, lanes));
      ops_.collect(values.back(), lanes, whole_atoms);
    }
  // Lengths that are known go along, and what was copied to every instance.
  std::vector<Val> parts;
  for (const Val& value : values) leaves(value, parts);
  const auto lengths_known = [&](const Val& part) {
    return part.type->kind == TypeKind::kSeq && level(part) == lanes &&
           b_.done(Op::kLengths, TypeWord::kNone, {part.lanes->segments});
  };
  std::erase_if(parts, [&](const Val& part) { return !lengths_known(part); });
  std::vector<flat::Numbering::Copies> copies = b_.numbering().copies_along(ops_.whole(lanes));
  std::erase_if(copies, [&](const auto& copy) { return b_.known(copy.of) != nullptr; });  // take no memory
  for (const Val& part : parts) whole_atoms.push_back(ops_.lengths(part));
  for (const auto& copy : copies) whole_atoms.push_back(copy.result);
  whole_atoms.push_back(ops_.whole(lanes));
  const auto packed = [&] {
    const Atom chosen = here(flags);
    const Lanes* some = ops_.chosen(lanes, chosen, false, chosen_segments(values, chosen, lanes));
    Atoms out;
    for (const Val& value : values) ops_.collect(ops_.pack(value, lanes, some, chosen), some, out);
    for (const Val& part : parts) out.push_back(ops_.packed_lengths(part, chosen));
    for (const auto& copy : copies) out.push_back(ops_.spread_atom(copy.of, copy.word, some->segments));
    out.push_back(some->segments);
    return out;
  };
  const auto unchanged = [&] { return whole_atoms; };
  const Atoms inside = share == Share::kSome ? packed() : if_all(flags, unchanged, packed);
  Taken result{{}, ops_.chosen(lanes, flags.flags, flags.inverted, inside.back())};
  const std::size_t outer = scope_.vars.now();
  std::size_t next = 0;
  for (std::size_t i = 0; i < names.size(); ++i)
    scope_.vars.set(names[i], ops_.rebuild(values[i], lanes, result.lanes, inside, next));
  for (const Val& part : parts)
    b_.same(Op::kLengths, TypeWord::kNone, {inside[index_of(whole_atoms, part.lanes->segments)]},
            inside[next++]);
  for (const auto& copy : copies) b_.same(Op::kDist, copy.word, {copy.of, inside.back()}, inside[next++]);
  const bool before = std::exchange(taken_, true);
  const Val value = e ? eval(*e, result.lanes) : ops_.zero(type);
  taken_ = before;
  ops_.slots(ops_.settle(value, result.lanes), result.results);
  scope_.vars.back_to(outer);
  return result;
}

// One segment, as long as flags are set. The first vector packed tells, if the flags choose from one segment.
Atom Body::chosen_segments(const std::vector<Val>& values, Atom chosen, const Lanes* lanes) {
  std::vector<Val> parts;
  for (const Val& value : values) leaves(value, parts);
  // A number per instance rather than a length: sequences are more often not used after all.
  Val lead = boolean(lanes, chosen);
  for (const Val& part : parts) {
    if (level(part) != lanes || part.type->kind == TypeKind::kUnit) continue;
    const bool sequence = part.type->kind == TypeKind::kSeq;
    if (!sequence || lead.atom == chosen) lead = sequence ? integer(lanes, ops_.lengths(part)) : part;
    if (!sequence) break;
  }
  return b_.ops(Op::kPack, word_of(lead.type), {lead.atom, chosen, ops_.whole(lanes)})[1];
}

// The value of a branch that some instances took, and where in the whole it belongs.
LaneOps::Source Body::source(const core::Type* type, const Taken& part, const Flags& flags) {
  std::size_t next = 0;
  Val value = ops_.from_slots(type, part.lanes, part.results, next);
  return {std::move(value), ops_.places(here(flags), flags.lanes)[0], part.lanes->segments,
          ops_.whole(flags.lanes)};
}

// `other` where the flag is false; scalars only.
Val Body::split_one(const Expr& e, const Flags& flags, const Val& other) {
  const Lanes* lanes = flags.lanes;
  const auto rest = [&] { return settled_slots(other, lanes); };
  const auto some = [&] {
    const Taken part = take(&e, e.type, flags, Share::kUnknown);
    const auto merge = [&] {
      const LaneOps::Source from = source(e.type, part, flags);
      Atoms merged = rest();
      std::vector<nvm::Type> kinds;
      slot_kinds(e.type, kinds);
      for (std::size_t i = 0; i < merged.size(); ++i)
        merged[i] = b_.op(Op::kDpermute, word_of(kinds[i]),
                          {part.results[i], from.places, merged[i], from.from_segments, from.to_segments});
      return merged;
    };
    return if_all(
        flags, [&] { return part.results; }, merge);
  };
  const Atoms results = if_some(flags, some, rest);
  std::size_t next = 0;
  return ops_.from_slots(e.type, lanes, results, next);
}

// If all instances have the flag they evaluate `first`, on the lanes they are on; else the others evaluate
// `second` first, and those that are left `first`.
Val Body::split_first(const Expr& first, const Expr& second, const Flags& flags) {
  const Lanes* lanes = flags.lanes;
  const core::Type* type = first.type;
  const Flags others = flags.inverse();
  const std::size_t outer = scope_.vars.now();
  const auto alone = [&](const Expr& e) {
    return [&] {
      Atoms slots = settled_slots(eval(e, lanes), lanes);
      scope_.vars.back_to(outer);
      return slots;
    };
  };
  const auto merged = [&](const Taken& part) {
    if (is_there(first)) {
      const LaneOps::Rest rest{ops_.settle(eval(first, lanes), lanes), here(flags)};
      return settled_slots(ops_.scatter({source(type, part, others)}, lanes, &rest), lanes);
    }
    const Taken rest = take(&first, type, flags, Share::kSome);
    return settled_slots(ops_.scatter({source(type, rest, flags), source(type, part, others)}, lanes), lanes);
  };
  const auto not_all = [&] {
    const Taken part = take(&second, type, others, Share::kUnknown);
    return if_some(
        flags, [&] { return merged(part); }, [&] { return part.results; });
  };
  const auto some_of_each = [&] {
    const bool before = std::exchange(apart_, true);
    const Taken part = take(&second, type, others, Share::kSome);
    apart_ = before;
    return merged(part);
  };
  const auto some = [&] { return if_all(flags, alone(first), some_of_each); };
  // In most steps of a loop nobody leaves it. Its code stands there by itself: it asks but once, and has its
  // values for itself, so that they change in place and are not kept until the loop is over.
  const bool loop = shares_ && lanes->inhabited && !apart_ && facts(second).weight <= kLoop &&
                    goes_round(second, all_.facts());
  const Atoms results = loop ? if_some(flags, some, alone(second)) : if_all(flags, alone(first), not_all);
  std::size_t next = 0;
  return ops_.from_slots(type, lanes, results, next);
}

Val Body::split_both(const Expr& a, const Expr* b, const Flags& flags) {
  const Lanes* lanes = flags.lanes;
  const core::Type* type = a.type;
  const Flags others = flags.inverse();
  const auto arm = [&](const Expr* e, const Flags& chosen) {
    const auto some = [&] {
      const Taken part = take(e, type, chosen, Share::kUnknown);
      Atoms out = part.results;
      out.push_back(part.lanes->segments);
      return out;
    };
    const auto none = [&] {
      Atoms slots;
      ops_.empty_slots(type, slots);
      slots.push_back(b_.constant({TypeWord::kSegdes, {0}, {}}));
      return slots;
    };
    return if_some(chosen, some, none);
  };
  const Atoms from_a = arm(&a, flags);
  const Atoms from_b = arm(b, others);
  const auto results_of = [](const Atoms& atoms) { return Atoms(atoms.begin(), atoms.end() - 1); };
  const auto part = [&](const Atoms& atoms, const Flags& chosen) {
    return source(type, {results_of(atoms), ops_.chosen(lanes, chosen.flags, chosen.inverted, atoms.back())},
                  chosen);
  };
  const auto merged = [&] {
    return settled_slots(ops_.scatter({part(from_a, flags), part(from_b, others)}, lanes), lanes);
  };
  const Atoms results = if_all(
      flags, [&] { return results_of(from_a); },
      [&] { return if_some(flags, merged, [&] { return results_of(from_b); }); });
  std::size_t next = 0;
  return ops_.from_slots(type, lanes, results, next);
}

Atoms Body::settled_slots(const Val& value, const Lanes* lanes) {
  Atoms slots;
  ops_.slots(ops_.settle(value, lanes), slots);
  return slots;
}

// Scalars selected element by element.
Val Body::choose_flat(const Val& condition, const Val& a, const Val& b, const Lanes* lanes) {
  check_stack();
  if (a.type->kind == TypeKind::kUnit) return a;
  if (a.type->kind == TypeKind::kPair) {
    Val x = choose_flat(condition, a.kids[0], b.kids[0], lanes);
    return LaneOps::pair(std::move(x), choose_flat(condition, a.kids[1], b.kids[1], lanes));
  }
  if (a.lanes == b.lanes && a.atom == b.atom) return a;
  if (const Constant* value = condition.lanes == ops_.root() ? b_.known(condition.atom) : nullptr)
    return value->ints[0] != 0 ? a : b;
  const Lanes* level = deeper(condition.lanes, deeper(a.lanes, b.lanes));
  return ops_.scalar(
      a.type, level,
      b_.op(Op::kSelect, word_of(a.type), {ops_.at(condition, level), ops_.at(a, level), ops_.at(b, level)}));
}

// select(): both values are there already.
Val Body::choose(const Val& condition, const Val& a, const Val& b) {
  if (all_scalar(a.type)) return choose_flat(condition, a, b, nullptr);
  const Lanes* lanes = deeper(condition.lanes, deeper(level(a), level(b)));
  const auto slots_of = [&](const Val& value) { return settled_slots(value, lanes); };
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
    const Lanes* some = ops_.chosen(lanes, chosen, false, places[1]);
    Val packed = ops_.pack(ops_.settle(value, lanes), lanes, some, chosen);
    return LaneOps::Source{std::move(packed), places[0], places[1], flat->segments};
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
      if (const Val* value = scope_.vars.find(v);
          value && std::find(e.vars.begin(), e.vars.end(), v) == e.vars.end())
        outer = deeper(outer, level(*value));
  }
  Val first = ops_.spread(sources[0], outer);
  const Lanes* inner = first.lanes;
  const std::size_t hidden = scope_.vars.now();
  std::vector<Val> elements{first.kids[0]};
  for (std::size_t i = 1; i < sources.size(); ++i)
    elements.push_back(
        same_lanes(ops_.spread(sources[i], outer), inner, lanes, "Length mismatch in an apply-to-each."));
  for (std::size_t i = 0; i < sources.size(); ++i) scope_.vars.set(e.vars[i], elements[i]);
  Val result =
      e.sieve ? filtered(e, outer, inner) : ops_.sequence(inner, eval(*e.kids[e.vars.size()], inner));
  scope_.vars.back_to(hidden);
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
    const Val* value = scope_.vars.find(v);
    if (!value || level(*value) != inner) continue;
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
    scope_.vars.set(v, ops_.pack(ops_.normal(scope_.vars.at(v), inner), inner, to, flags));
  }
  return ops_.sequence(to, eval(body, to));
}

}  // namespace nvm::frontend
