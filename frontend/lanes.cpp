#include "frontend/lanes.h"

#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"

namespace nvm::frontend {
namespace {
using core::TypeKind;
using flat::Atom;
using flat::Atoms;
}  // namespace

nvm::Type kind_of(const core::Type* scalar) {
  if (scalar->kind == TypeKind::kFloat) return nvm::Type::kFloat;
  return scalar->kind == TypeKind::kBool ? nvm::Type::kBool : nvm::Type::kInt;
}

TypeWord word_of(const core::Type* scalar) { return nvm::word_of(kind_of(scalar)); }

bool is_scalar(const core::Type* type) {
  return type->kind != TypeKind::kUnit && type->kind != TypeKind::kSeq && type->kind != TypeKind::kPair;
}

void slot_kinds(const core::Type* type, std::vector<nvm::Type>& out) {
  check_stack();
  switch (type->kind) {
    case TypeKind::kUnit: return;
    case TypeKind::kPair:
      slot_kinds(type->a, out);
      slot_kinds(type->b, out);
      return;
    case TypeKind::kSeq:
      out.push_back(nvm::Type::kSegdes);
      slot_kinds(type->a, out);
      return;
    default: out.push_back(kind_of(type));
  }
}

void single_slots(const core::Type* type, std::vector<bool>& out) {
  check_stack();
  if (type->kind == TypeKind::kPair) {
    single_slots(type->a, out);
    single_slots(type->b, out);
    return;
  }
  std::vector<nvm::Type> slots;
  slot_kinds(type, slots);
  for (std::size_t i = 0; i < slots.size(); ++i) out.push_back(i == 0);
}

const Lanes* level_of(const Val& value, const Lanes* root) {
  check_stack();
  switch (value.type->kind) {
    case TypeKind::kUnit: return root;
    case TypeKind::kPair: return deeper(level_of(value.kids[0], root), level_of(value.kids[1], root));
    case TypeKind::kSeq: return value.lanes->parent;
    default: return value.lanes;
  }
}

namespace {

bool around(const Lanes* outer, const Lanes* inner) {
  while (inner->depth > outer->depth) inner = inner->parent;
  return inner == outer;
}

}  // namespace

const Lanes* LaneOps::elements(const Lanes* parent, Atom segments, bool inhabited) {
  lanes_.push_back(
      {Lanes::Kind::kElements, parent, parent->depth + 1, segments, -1, false, inhabited, next_lanes(), 0});
  return &lanes_.back();
}

const Lanes* LaneOps::regular(const Lanes* parent, std::int32_t each) {
  const Atom segments =
      parent == &root_ ? b_.constant({TypeWord::kSegdes, {each}, {}}) : descriptor(at(integer(each), parent));
  elements(parent, segments);
  lanes_.back().each = each;
  return &lanes_.back();
}

const Lanes* LaneOps::chosen(const Lanes* parent, Atom flags, bool inverted, Atom all) {
  lanes_.push_back(
      {Lanes::Kind::kChosen, parent, parent->depth + 1, all, flags, inverted, true, next_lanes(), 0});
  return &lanes_.back();
}

Atom LaneOps::segments(const Lanes* inner, const Lanes* outer) {
  NVM_CHECK(inner != outer && inner->depth > outer->depth, "inner lanes inside outer");
  if (inner->parent == outer && inner->kind == Lanes::Kind::kElements) return inner->segments;
  if (inner->kind == Lanes::Kind::kChosen && outer == &root_) return inner->segments;
  // Asked again and again about deep nestings, and each time through all levels.
  return b_.numbering().once(inner->id, outer->id, [&] { return composed_segments(inner, outer); });
}

Atom LaneOps::composed_segments(const Lanes* inner, const Lanes* outer) {
  check_stack();
  if (inner->kind == Lanes::Kind::kElements) {
    const Atom sums = b_.op(Op::kAddReduce, TypeWord::kInt,
                            {read_lengths(inner->segments), segments(inner->parent, outer)});
    return descriptor(sums);
  }
  Atom flags = inner->flags;
  if (inner->inverted) flags = b_.ops(Op::kNot, TypeWord::kBool, {flags}).front();
  Atom taken = b_.op(Op::kBtoI, TypeWord::kNone, {flags});
  if (inner->parent != outer)
    taken = b_.op(Op::kAddReduce, TypeWord::kInt, {taken, segments(inner->parent, outer)});
  return descriptor(taken);
}

Atom LaneOps::count(const Lanes* lanes) {
  return lanes == &root_ ? b_.integer(1) : read_lengths(whole(lanes));
}

Val LaneOps::sequence(const Lanes* lanes, Val element) {
  const core::Type* type = core::seq_type(element.type);
  std::vector<Val> one;
  one.push_back(std::move(element));
  return {type, lanes, -1, Kids(std::move(one))};
}

Val LaneOps::pair(Val a, Val b) {
  const core::Type* type = core::pair_type(a.type, b.type);
  std::vector<Val> both;
  both.push_back(std::move(a));
  both.push_back(std::move(b));
  return {type, nullptr, -1, Kids(std::move(both))};
}

Val LaneOps::integer(std::int64_t value) {
  return scalar(core::base_type(TypeKind::kInt), &root_, b_.integer(value));
}

Val LaneOps::boolean(bool value) {
  return scalar(core::base_type(TypeKind::kBool), &root_, b_.boolean(value));
}

Atom LaneOps::spread_atom(Atom atom, TypeWord word, Atom segments) {
  return b_.op(Op::kDist, word, {atom, segments});
}

Atom LaneOps::at(const Val& scalar, const Lanes* lanes) {
  if (scalar.lanes == lanes) return scalar.atom;
  return spread_atom(scalar.atom, word_of(scalar.type), segments(lanes, scalar.lanes));
}

Atom LaneOps::lengths(const Val& sequence) { return read_lengths(sequence.lanes->segments); }

Atom LaneOps::offsets(Atom lengths, const Lanes* lanes) {
  // One instance has one segment, which begins at 0.
  if (lanes == &root_) return b_.integer(0);
  return b_.op(Op::kAddScan, TypeWord::kInt, {lengths, whole(lanes)});
}

void LaneOps::check(const Val& value, const core::Type* type, const Lanes* lanes) const {
  check_budget();
  check_stack();
  NVM_CHECK(value.type == type, "a value has the type of its expression");
  switch (type->kind) {
    case TypeKind::kUnit: return;
    case TypeKind::kPair: check(value.kids[0], type->a, lanes); return check(value.kids[1], type->b, lanes);
    case TypeKind::kSeq:
      NVM_CHECK(value.lanes->kind == Lanes::Kind::kElements && around(value.lanes->parent, lanes),
                "a sequence is of its own instances or of some around them");
      NVM_CHECK(b_.kind(value.lanes->segments) == nvm::Type::kSegdes, "a sequence has a descriptor");
      return check(value.kids[0], type->a, value.lanes);
    default:
      NVM_CHECK(around(value.lanes, lanes), "a scalar lives on its own lanes or on some around them");
      NVM_CHECK(b_.kind(value.atom) == kind_of(type), "a scalar has a vector of its kind");
  }
}

bool LaneOps::same(const Val& a, const Val& b) {
  check_stack();
  if (a.type != b.type || a.lanes != b.lanes || a.atom != b.atom) return false;
  if (a.type->kind == TypeKind::kPair && !same(a.kids[1], b.kids[1])) return false;
  return is_scalar(a.type) || a.type->kind == TypeKind::kUnit || same(a.kids[0], b.kids[0]);
}

Val LaneOps::settle(const Val& value, const Lanes* lanes) {
  check_stack();
  switch (value.type->kind) {
    case TypeKind::kUnit: return value;
    case TypeKind::kPair: return pair(settle(value.kids[0], lanes), settle(value.kids[1], lanes));
    case TypeKind::kSeq: {
      const Val here = spread(value, lanes);
      return sequence(here.lanes, settle(here.kids[0], here.lanes));
    }
    default: return scalar(value.type, lanes, at(value, lanes));
  }
}

Val LaneOps::spread(const Val& value, const Lanes* lanes) {
  const Lanes* level = value.lanes->parent;
  if (level == lanes) return value;
  const Atom down = segments(lanes, level);
  const Atom copies = descriptor(spread_atom(lengths(value), TypeWord::kInt, down));
  const Lanes* to = elements(lanes, copies);
  const IndexMap map{value.lanes, to, iota(to), value.lanes->segments, segments(to, level), false, true};
  return sequence(to, gather(value.kids[0], map));
}

Atom LaneOps::iota(const Val& start, const Val& stride, const Lanes* lanes) {
  return b_.op(Op::kIndex, TypeWord::kNone,
               {at(start, lanes->parent), at(stride, lanes->parent), lanes->segments});
}

Atoms LaneOps::places(Atom flags, const Lanes* lanes) {
  const Lanes* flat = elements(&root_, whole(lanes));
  return b_.ops(Op::kPack, TypeWord::kInt, {iota(flat), flags, flat->segments});
}

Atom LaneOps::ones(const Lanes* lanes) { return regular(lanes, 1)->segments; }

Val LaneOps::lower(const Val& value, const Lanes* from, const Lanes* lanes) {
  check_stack();
  switch (value.type->kind) {
    case TypeKind::kUnit: return value;
    case TypeKind::kPair: {
      Val a = lower(value.kids[0], from, lanes);
      return pair(std::move(a), lower(value.kids[1], from, lanes));
    }
    case TypeKind::kSeq: {
      if (value.lanes->parent == from) {
        const Val here = spread(value, lanes);  // its elements may be of `from` themselves
        return sequence(here.lanes, lower(here.kids[0], from, here.lanes));
      }
      // One from further out has nothing of `from`, even where these are the instances of its own elements.
      if (!around(from, value.lanes->parent)) return value;
      const Lanes* to = value.lanes->parent == lanes ? value.lanes : lanes;
      return sequence(value.lanes, lower(value.kids[0], from, to));
    }
    default: return value.lanes == from ? scalar(value.type, lanes, at(value, lanes)) : value;
  }
}

Val LaneOps::normal(const Val& value, const Lanes* lanes) {
  check_stack();
  switch (value.type->kind) {
    case TypeKind::kPair: {
      Val a = normal(value.kids[0], lanes);
      return pair(std::move(a), normal(value.kids[1], lanes));
    }
    case TypeKind::kSeq: {
      if (value.lanes->parent != lanes) return value;
      return sequence(value.lanes, normal(lower(value.kids[0], lanes, value.lanes), value.lanes));
    }
    default: return value;
  }
}

void LaneOps::collect(const Val& value, const Lanes* lanes, Atoms& out) {
  check_stack();
  switch (value.type->kind) {
    case TypeKind::kUnit: return;
    case TypeKind::kPair:
      collect(value.kids[0], lanes, out);
      collect(value.kids[1], lanes, out);
      return;
    case TypeKind::kSeq:
      if (value.lanes->parent != lanes) return;
      out.push_back(value.lanes->segments);
      collect(value.kids[0], value.lanes, out);
      return;
    default:
      if (value.lanes == lanes) out.push_back(value.atom);
  }
}

Val LaneOps::rebuild(const Val& value, const Lanes* from, const Lanes* to, const Atoms& atoms,
                     std::size_t& next) {
  check_stack();
  switch (value.type->kind) {
    case TypeKind::kUnit: return value;
    case TypeKind::kPair: {
      Val a = rebuild(value.kids[0], from, to, atoms, next);
      return pair(std::move(a), rebuild(value.kids[1], from, to, atoms, next));
    }
    case TypeKind::kSeq: {
      if (value.lanes->parent != from) return value;
      const Lanes* inner = elements(to, atoms[next++]);
      return sequence(inner, rebuild(value.kids[0], value.lanes, inner, atoms, next));
    }
    default: return value.lanes == from ? scalar(value.type, to, atoms[next++]) : value;
  }
}

void LaneOps::slots(const Val& value, Atoms& out) {
  check_stack();
  switch (value.type->kind) {
    case TypeKind::kUnit: return;
    case TypeKind::kPair:
      slots(value.kids[0], out);
      slots(value.kids[1], out);
      return;
    case TypeKind::kSeq:
      out.push_back(value.lanes->segments);
      slots(value.kids[0], out);
      return;
    default: out.push_back(value.atom);
  }
}

Val LaneOps::from_slots(const core::Type* type, const Lanes* lanes, const Atoms& slots, std::size_t& next) {
  check_stack();
  switch (type->kind) {
    case TypeKind::kUnit: return unit();
    case TypeKind::kPair: {
      Val a = from_slots(type->a, lanes, slots, next);
      return pair(std::move(a), from_slots(type->b, lanes, slots, next));
    }
    case TypeKind::kSeq: {
      const Lanes* inner = elements(lanes, slots[next++]);
      return sequence(inner, from_slots(type->a, inner, slots, next));
    }
    default: return scalar(type, lanes, slots[next++]);
  }
}

void LaneOps::empty_slots(const core::Type* type, Atoms& out) {
  std::vector<nvm::Type> kinds;
  slot_kinds(type, kinds);
  for (const nvm::Type kind : kinds) out.push_back(b_.constant({word_of(kind), {}, {}}));
}

Val LaneOps::zero(const core::Type* type) {
  check_stack();
  switch (type->kind) {
    case TypeKind::kUnit: return unit();
    case TypeKind::kPair: return pair(zero(type->a), zero(type->b));
    case TypeKind::kSeq: {
      const Lanes* inner = elements(&root_, b_.constant({TypeWord::kSegdes, {0}, {}}));
      Atoms nothing;
      empty_slots(type->a, nothing);
      std::size_t next = 0;
      return sequence(inner, from_slots(type->a, inner, nothing, next));
    }
    case TypeKind::kFloat: return scalar(type, &root_, b_.real(0.0));
    case TypeKind::kBool: return scalar(type, &root_, b_.boolean(false));
    default: return scalar(type, &root_, b_.integer(0));
  }
}

Val LaneOps::rename(const Val& value, const Lanes* from, const Lanes* to) {
  if (from == to) return value;
  std::vector<std::pair<const Lanes*, const Lanes*>> names{{from, to}};
  return rename_by(value, names);
}

Val LaneOps::rename_by(const Val& value, std::vector<std::pair<const Lanes*, const Lanes*>>& names) {
  check_stack();
  const auto find = [&names](const Lanes* lanes) {
    const auto name =
        std::find_if(names.rbegin(), names.rend(), [&](const auto& n) { return n.first == lanes; });
    return name == names.rend() ? lanes : name->second;
  };
  switch (value.type->kind) {
    case TypeKind::kUnit: return value;
    case TypeKind::kPair: {
      Val a = rename_by(value.kids[0], names);
      return pair(std::move(a), rename_by(value.kids[1], names));
    }
    case TypeKind::kSeq: {
      const Lanes* parent = find(value.lanes->parent);
      if (parent == value.lanes->parent) return value;
      const Lanes* to = elements(parent, value.lanes->segments);
      names.emplace_back(value.lanes, to);
      Val element = rename_by(value.kids[0], names);
      names.pop_back();
      return sequence(to, std::move(element));
    }
    default: return scalar(value.type, find(value.lanes), value.atom);
  }
}

Atom LaneOps::packed_lengths(const Val& sequence, Atom flags) {
  return b_.ops(Op::kPack, TypeWord::kInt, {lengths(sequence), flags, sequence.lanes->parent->segments})
      .front();
}

// Elements of inner sequences are packed by the flags of the instances they belong to.
Val LaneOps::pack(const Val& value, const Lanes* from, const Lanes* to, Atom flags) {
  check_stack();
  const auto keep = [&](Atom atom, TypeWord word, const Lanes* lanes) {
    return b_.ops(Op::kPack, word, {atom, flags, lanes->segments}).front();
  };
  switch (value.type->kind) {
    case TypeKind::kUnit: return value;
    case TypeKind::kPair: {
      Val a = pack(value.kids[0], from, to, flags);
      return pair(std::move(a), pack(value.kids[1], from, to, flags));
    }
    case TypeKind::kSeq: {
      if (value.lanes->parent != from) return value;
      const Lanes* inner = elements(to, descriptor(keep(lengths(value), TypeWord::kInt, from)));
      const Atom spread_flags = spread_atom(flags, TypeWord::kBool, value.lanes->segments);
      const Val element = lower(value.kids[0], from, value.lanes);
      return sequence(inner, pack(element, value.lanes, inner, spread_flags));
    }
    default:
      if (value.lanes != from) return value;
      return scalar(value.type, to, keep(value.atom, word_of(value.type), from));
  }
}

}  // namespace nvm::frontend
