#include "bytecode/plan/nest_insts.h"

#include <algorithm>

#include "bytecode/base/at.h"
#include "bytecode/table/identities.h"
#include "bytecode/table/op_kind.h"

namespace nvm::plan {

namespace {

using soac::BodyInst;
using soac::Pull;
using ssa::Inst;
using Kind = Meaning::Kind;

// Does a scatter move every element, over defaults?
bool moves_all(Op op) { return move_operands(op).flags < 0 && move_operands(op).defaults >= 0; }

// Nobody reads what stands there, or it is put together itself.
bool written_over(const NestNumbers& numbers, const Meaning& defaults, const Meaning& to) {
  const bool fresh = defaults.is(Kind::kList) && defaults.list.space == kNone;
  return (fresh || defaults.is(Kind::kPieces)) && numbers.equal(defaults.list.length, to.numbers[0]);
}

}  // namespace

// ------------------------------------------------------------------------------------------ what there is

std::int32_t NestInsts::input(NestInput::What what, std::int32_t parameter) {
  const std::int32_t found = nest_.find(what, parameter);
  if (found != kNone) return found;
  nest_.inputs.push_back({what, parameter});
  return static_cast<std::int32_t>(nest_.inputs.size() - 1);
}

Meaning NestInsts::parameter(std::int32_t p, Type type, const ssa::LiftedInfo& lifted) {
  const ssa::Split& split = lifted.parameters[at(p)];
  if (split.kind == ssa::Split::Kind::kFrame) return Meaning::shape({numbers_.constant(1)});
  const auto pull = [&](Pull from, NestInput::What what, std::int32_t of) {
    BodyInst in;
    in.pull = from;
    in.type = what == NestInput::What::kLength ? Type::kInt : type;
    in.var = input(what, of);
    return nest_.body.add(in);
  };
  const auto length = [&](std::int32_t of) {
    const std::int32_t v = pull(Pull::kUniform, NestInput::What::kLength, of);
    numbers_.note_length(v);
    return v;
  };
  if (type != Type::kInt && type != Type::kFloat && type != Type::kBool && type != Type::kSegdes) return {};
  if (split.kind == ssa::Split::Kind::kInstances)
    return type == Type::kSegdes ? Meaning::shape({length(p)})
                                 : Meaning::row({pull(Pull::kUniform, NestInput::What::kNumber, p)});
  if (split.kind != ssa::Split::Kind::kUnder || type == Type::kSegdes ||
      lifted.parameters[at(split.under)].kind != ssa::Split::Kind::kInstances)
    return {};
  return Meaning::of(
      {pull(Pull::kElement, NestInput::What::kList, p), split.under, kNone, length(split.under)});
}

std::int32_t NestInsts::add_list(const NestList& list) {
  const auto found = std::find(nest_.lists.begin(), nest_.lists.end(), list);
  if (found != nest_.lists.end()) return static_cast<std::int32_t>(found - nest_.lists.begin());
  nest_.lists.push_back(list);
  return static_cast<std::int32_t>(nest_.lists.size() - 1);
}

// The descriptor that a value has an element for each of.
std::int32_t NestInsts::space_of(std::int32_t v) {
  for (std::size_t i = nest_.spaces.size(); i < nest_.body.insts.size(); ++i) {
    const BodyInst& in = nest_.body.insts[i];
    std::int32_t space = kNone;
    if (in.pull == Pull::kElement) {
      const auto list = nest_.inputs[at(in.var)].parameter;
      space = nest_.under[at(list)];
    } else if (in.pull == Pull::kWithin) {
      space = in.desc;
    } else if (in.pull == Pull::kApply) {
      for (const std::int32_t x : {in.a, in.b, in.c})
        if (x != kNone && nest_.spaces[at(x)] != kNone) space = nest_.spaces[at(x)];
    }
    nest_.spaces.push_back(space);
  }
  return nest_.spaces[at(v)];
}

// ------------------------------------------------------------------------------------------ instructions

Meaning NestInsts::meaning(const Inst& in, const std::vector<Meaning>& of) {
  const auto made = [&]() -> Meaning {
    if (op_kind(in.op) == OpKind::kBlock && of.empty()) return constant(module_.constants[at(in.index)]);
    switch (op_kind(in.op)) {
      case OpKind::kMap: return map(in, of);
      case OpKind::kReduce: return reduce(in, of[0], of[1]);
      case OpKind::kDist: return dist(of[0], of[1]);
      case OpKind::kIota: return iota(of);
      case OpKind::kFilter: return filter(of[0], of[1], of[2]);
      case OpKind::kExtract: return extract(of[0], of[1], of[2]);
      case OpKind::kReplace: return replace(of);
      case OpKind::kGather: return move_operands(in.op).flags < 0 ? gather(of) : Meaning{};
      case OpKind::kScatter: return moves_all(in.op) ? scatter(of) : Meaning{};
      case OpKind::kShape: return lengths(in.op, of[0]);
      default: return {};
    }
  }();
  if (!nest_.body.insts.empty()) static_cast<void>(space_of(0));
  return made;
}

Meaning NestInsts::constant(const ssa::Constant& c) {
  constexpr std::size_t kMost = 8;
  const bool real = c.word == TypeWord::kFloat;
  const bool known =
      real || c.word == TypeWord::kInt || c.word == TypeWord::kBool || c.word == TypeWord::kSegdes;
  if (c.input >= 0 || !known || std::max(c.ints.size(), c.floats.size()) > kMost) return {};
  std::vector<std::int32_t> all;
  for (std::size_t i = 0; i < (real ? c.floats.size() : c.ints.size()); ++i) {
    BodyInst in;
    in.type = real ? Type::kFloat : c.word == TypeWord::kBool ? Type::kBool : Type::kInt;
    if (real)
      in.real = c.floats[i];
    else
      in.imm = c.ints[i];
    all.push_back(nest_.body.add(in));
  }
  return c.word == TypeWord::kSegdes ? Meaning::shape(all) : Meaning::row(all);
}

std::int32_t NestInsts::one(Scalar s, Type type, const std::int32_t* of) {
  const std::int32_t v = numbers_.apply(s, type, of[0], of[1], of[2]);
  const Type operand = numbers_.inst(of[0]).type;
  if (scalar_traps(s, operand)) checks_.push_back(v);
  return v;
}

Meaning NestInsts::map(const Inst& in, const std::vector<Meaning>& of) {
  if (!of[0].is(Kind::kRow)) return map_lists(in, of);
  const Type type = letter_type(op_info(in.op).results[0], in.word);
  Meaning made = Meaning::row({});
  for (const Meaning& m : of)
    if (!m.is(Kind::kRow) || m.numbers.size() != of[0].numbers.size()) return {};
  for (std::size_t i = 0; i < of[0].numbers.size(); ++i) {
    std::int32_t operand[3] = {kNone, kNone, kNone};
    for (std::size_t k = 0; k < of.size(); ++k) operand[k] = of[k].numbers[i];
    made.numbers.push_back(one(op_info(in.op).scalar, type, operand));
  }
  return made;
}

// All over the same elements, or one number for all.
Meaning NestInsts::map_lists(const Inst& in, const std::vector<Meaning>& given) {
  std::vector<Meaning> of;
  for (const Meaning& m : given) of.push_back(as_list(m));
  const OpInfo& info = op_info(in.op);
  std::int32_t operand[3] = {kNone, kNone, kNone};
  const Meaning* lies = nullptr;
  for (std::size_t k = 0; k < of.size(); ++k) {
    if (!of[k].is(Kind::kList) || !numbers_.equal(of[k].list.length, of[0].list.length)) return {};
    operand[k] = of[k].list.value;
    if (of[k].list.space == kNone) continue;
    if (lies != nullptr && (lies->list.space != of[k].list.space || lies->list.filter != of[k].list.filter))
      return {};
    lies = &of[k];
  }
  const Type type = letter_type(info.results[0], in.word);
  if (lies == nullptr) return {};
  if (scalar_traps(info.scalar, numbers_.inst(operand[0]).type)) {
    const auto by = numbers_.known(operand[1]);
    if (!by || *by == 0 || *by == -1) return {};
  }
  NestList made = lies->list;
  made.value = numbers_.apply(info.scalar, type, operand[0], operand[1], operand[2]);
  return Meaning::of(made);
}

// A few numbers are combined from left to right, as elements are.
Meaning NestInsts::reduce(const Inst& in, const Meaning& v, const Meaning& shape) {
  const Scalar s = op_info(in.op).scalar;
  if (!v.is(Kind::kRow)) return fold(s, as_list(v), shape);
  std::vector<std::size_t> from;
  if (!begins(shape, v.numbers.size(), from)) return {};
  const Type type = letter_type(op_info(in.op).results[0], in.word);
  BodyInst identity;
  identity.type = type;
  if (type == Type::kFloat)
    identity.real = constant_float_identity(s);
  else
    identity.imm = type == Type::kBool ? constant_bool_identity(s) : constant_int_identity(s, IntBits::k64);
  Meaning made = Meaning::row({});
  for (std::size_t k = 0; k + 1 < from.size(); ++k) {
    std::size_t i = from[k];
    const bool begins_with_it = type == Type::kFloat || i == from[k + 1];  // 0 + -0 is not -0
    std::int32_t all = begins_with_it ? nest_.body.add(identity) : v.numbers[i++];
    for (; i < from[k + 1]; ++i) all = numbers_.apply(s, type, all, v.numbers[i]);
    made.numbers.push_back(all);
  }
  return made;
}

Meaning NestInsts::fold(Scalar s, const Meaning& list, const Meaning& shape) {
  if (!list.is(Kind::kList) || !fills(list, shape)) return {};
  const bool alike = list.list.space == kNone;  // one number, so often
  if (alike && s == Scalar::kAdd && numbers_.inst(list.list.value).type == Type::kInt)
    return Meaning::row({numbers_.apply(Scalar::kMul, Type::kInt, list.list.value, list.list.length)});
  if (alike) return {};
  BodyInst in;
  in.pull = Pull::kScanned;
  in.type = numbers_.inst(list.list.value).type;
  in.scalar = s;
  in.a = add_list(list.list);
  const std::int32_t folded = nest_.body.add(in);
  const BodyInst& of = numbers_.inst(list.list.value);
  if (s == Scalar::kAdd && of.pull == Pull::kApply && of.scalar == Scalar::kBtoI)
    numbers_.note_length(folded);
  return Meaning::row({folded});
}

Meaning NestInsts::as_list(const Meaning& m) {
  if (!m.is(Kind::kPlaces) || m.numbers.size() != 1) return m;
  for (std::size_t i = 0; i < nest_.body.insts.size(); ++i) {
    const BodyInst& in = nest_.body.insts[i];
    if (in.pull != Pull::kUniform || nest_.inputs[at(in.var)].what != NestInput::What::kLength ||
        !numbers_.equal(m.lengths[0], static_cast<std::int32_t>(i)))
      continue;
    BodyInst within;
    within.pull = Pull::kWithin;
    within.desc = nest_.inputs[at(in.var)].parameter;
    const std::int32_t value = numbers_.sum(nest_.body.add(within), m.numbers[0]);
    return Meaning::of({value, within.desc, kNone, m.lengths[0]});
  }
  return m;
}

Meaning NestInsts::dist(const Meaning& v, const Meaning& shape) {
  if (!v.is(Kind::kRow) || !shape.is(Kind::kShape) || shape.numbers.size() != v.numbers.size()) return {};
  Meaning made = Meaning::row({});
  for (std::size_t k = 0; k < v.numbers.size(); ++k) {
    const auto times = numbers_.few(shape.numbers[k]);
    if (!times && v.numbers.size() == 1) return Meaning::of({v.numbers[0], kNone, kNone, shape.numbers[0]});
    if (!times) return {};
    made.numbers.insert(made.numbers.end(), *times, v.numbers[k]);
  }
  return made;
}

Meaning NestInsts::iota(const std::vector<Meaning>& of) {
  const Meaning &start = of[0], &stride = of[1], &shape = of[2];
  if (!start.is(Kind::kRow) || !stride.is(Kind::kRow) || !shape.is(Kind::kShape)) return {};
  const std::size_t segments = shape.numbers.size();
  if (start.numbers.size() != segments || stride.numbers.size() != segments) return {};
  std::vector<std::int32_t> all;
  bool known = true;
  for (std::size_t k = 0; k < segments && known; ++k) {
    const auto n = numbers_.few(shape.numbers[k]);
    known = n.has_value();
    std::int32_t next = start.numbers[k];
    for (std::size_t i = 0; known && i < *n; ++i, next = numbers_.sum(next, stride.numbers[k]))
      all.push_back(next);
  }
  if (known) return Meaning::row(all);
  for (const std::int32_t by : stride.numbers)
    if (!numbers_.is_known(by, 1)) return {};
  return {Kind::kPlaces, start.numbers, shape.numbers, {}, {}, kNone};
}

Meaning NestInsts::filter(const Meaning& of, const Meaning& flags, const Meaning& shape) {
  const Meaning v = as_list(of);
  if (!v.is(Kind::kList) || !flags.is(Kind::kList) || !fills(v, shape) || !fills(flags, shape)) return {};
  if (flags.list.space == kNone) return {};
  if (v.list.space != kNone && (v.list.space != flags.list.space || v.list.filter != flags.list.filter))
    return {};
  NestList kept = flags.list;
  if (kept.filter != kNone)
    kept.filter = nest_.body.apply(Scalar::kAnd, Type::kBool, kept.filter, kept.value);
  else
    kept.filter = kept.value;
  BodyInst count;
  count.pull = Pull::kScanned;
  count.a = add_list({kNone, kept.space, kept.filter, kNone});
  kept.length = nest_.body.add(count);
  numbers_.note_length(kept.length);
  kept.value = v.list.value;
  return Meaning::of(kept);
}

Meaning NestInsts::kept_lengths(const Meaning& kept) { return Meaning::shape({kept.list.length}); }

Meaning NestInsts::extract(const Meaning& v, const Meaning& index, const Meaning& shape) {
  if (!index.is(Kind::kRow) || !shape.is(Kind::kShape) || index.numbers.size() != shape.numbers.size())
    return {};
  std::vector<std::size_t> from;
  if (v.is(Kind::kRow)) {
    if (!begins(shape, v.numbers.size(), from)) return {};
    Meaning made = Meaning::row({});
    for (std::size_t k = 0; k + 1 < from.size(); ++k) {
      const auto i = numbers_.few(index.numbers[k]);
      if (!i || *i >= from[k + 1] - from[k]) return {};
      made.numbers.push_back(v.numbers[from[k] + *i]);
    }
    return made;
  }
  if (!v.is(Kind::kList) || !fills(v, shape) || !nest_.given(v.list)) return {};
  return Meaning::row({element(v, index.numbers[0])});
}

std::int32_t NestInsts::element(const Meaning& list, std::int32_t index) {
  BodyInst g;
  g.pull = Pull::kGather;
  g.type = numbers_.inst(list.list.value).type;
  g.var = numbers_.inst(list.list.value).var;
  g.a = index;
  const std::int32_t made = nest_.body.add(g);
  checks_.push_back(made);
  return made;
}

// Of a few numbers.
Meaning NestInsts::gather_row(const std::vector<Meaning>& of) {
  const Meaning &v = of[0], &index = of[1];
  std::vector<std::size_t> from, to;
  if (!index.is(Kind::kRow) || !begins(of[2], v.numbers.size(), from) ||
      !begins(of[3], index.numbers.size(), to) || from.size() != to.size())
    return {};
  Meaning made = Meaning::row({});
  for (std::size_t k = 0; k + 1 < to.size(); ++k)
    for (std::size_t i = to[k]; i < to[k + 1]; ++i) {
      const auto place = numbers_.few(index.numbers[i]);
      if (!place || *place >= from[k + 1] - from[k]) return {};
      made.numbers.push_back(v.numbers[from[k] + *place]);
    }
  return made;
}

// The same element over and over, or the whole list.
Meaning NestInsts::gather(const std::vector<Meaning>& of) {
  const Meaning &v = of[0], &index = of[1], &from = of[2], &to = of[3];
  if (v.is(Kind::kRow)) return gather_row(of);
  if (!v.is(Kind::kList) || !fills(v, from) || !to.is(Kind::kShape) || to.numbers.size() != 1) return {};
  if (index.is(Kind::kList)) {
    if (index.list.space != kNone || !nest_.given(v.list) || !fills(index, to)) return {};
    return Meaning::of({element(v, index.list.value), kNone, kNone, index.list.length});
  }
  if (!index.is(Kind::kPlaces)) return {};
  Meaning made;
  made.kind = Kind::kPieces;
  made.list.length = to.numbers[0];
  std::int32_t start = numbers_.constant(0);
  for (std::size_t k = 0; k < index.numbers.size(); ++k) {
    if (!numbers_.is_known(index.numbers[k], 0) || !numbers_.equal(index.lengths[k], v.list.length))
      return {};
    made.pieces.push_back({add_list(v.list), kNone, start, v.list.length});
    start = numbers_.sum(start, v.list.length);
  }
  return numbers_.equal(start, to.numbers[0]) ? made : Meaning{};
}

Meaning NestInsts::replace(const std::vector<Meaning>& of) {
  const Meaning &v = of[0], &index = of[1], &by = of[2], &shape = of[3];
  std::vector<std::size_t> from;
  if (!v.is(Kind::kRow) || !index.is(Kind::kRow) || !by.is(Kind::kRow) ||
      !begins(shape, v.numbers.size(), from))
    return {};
  if (index.numbers.size() + 1 != from.size() || by.numbers.size() + 1 != from.size()) return {};
  Meaning made = v;
  for (std::size_t k = 0; k + 1 < from.size(); ++k) {
    const auto i = numbers_.few(index.numbers[k]);
    if (!i || *i >= from[k + 1] - from[k]) return {};
    made.numbers[from[k] + *i] = by.numbers[k];
  }
  return made;
}

// Runs one behind the other, over what is put together so far; the first defaults are read by nobody, for
// pieces fill a result.
Meaning NestInsts::scatter(const std::vector<Meaning>& of) {
  const Meaning &v = of[0], &places = of[1], &defaults = of[2], &from = of[3], &to = of[4];
  if (!from.is(Kind::kShape) || !to.is(Kind::kShape)) return {};
  if (to.numbers.size() != 1 || from.numbers.size() != 1) return {};
  if (v.is(Kind::kRow)) return scatter_row(of);
  const bool called = v.is(Kind::kCalled);
  if (!places.is(Kind::kPlaces)) return {};
  const std::size_t moves = called ? v.lengths.size() : 1, runs = places.numbers.size();
  if ((!called && !v.is(Kind::kList)) || (runs != moves && runs != 1)) return {};
  if (!written_over(numbers_, defaults, to)) return {};
  if (called && defaults.result != kNone && defaults.result != v.result) return {};
  Meaning made = defaults;
  made.kind = Kind::kPieces;
  made.list.value = kNone;
  made.result = called ? v.result : made.result;
  std::int32_t moved = numbers_.constant(0);
  for (std::size_t k = 0; k < moves; ++k) {
    const std::int32_t length = called ? v.lengths[k] : v.list.length;
    if (runs == moves && !numbers_.equal(places.lengths[k], length)) return {};
    NestPiece piece;
    piece.start = runs == moves ? places.numbers[k] : numbers_.sum(places.numbers[0], moved);
    piece.length = length;
    (called ? piece.child : piece.list) = called ? static_cast<std::int32_t>(k) : add_list(v.list);
    made.pieces.push_back(piece);
    moved = numbers_.sum(moved, length);
  }
  const bool all = runs == moves || numbers_.equal(moved, places.lengths[0]);
  return all && numbers_.equal(moved, from.numbers[0]) ? made : Meaning{};
}

// A few numbers, one by one.
Meaning NestInsts::scatter_row(const std::vector<Meaning>& of) {
  const Meaning &v = of[0], &places = of[1], &defaults = of[2], &from = of[3], &to = of[4];
  const auto few = static_cast<std::int64_t>(v.numbers.size());
  if (!places.is(Kind::kRow) || places.numbers.size() != v.numbers.size() ||
      !written_over(numbers_, defaults, to) || !numbers_.is_known(from.numbers[0], few))
    return {};
  Meaning made = defaults;
  made.kind = Kind::kPieces;
  made.list.value = kNone;
  const std::int32_t one = numbers_.constant(1);
  for (std::size_t k = 0; k < v.numbers.size(); ++k)
    made.pieces.push_back({add_list({v.numbers[k], kNone, kNone, one}), kNone, places.numbers[k], one});
  return made;
}

Meaning NestInsts::lengths(Op op, const Meaning& of) {
  if (of.is(Kind::kShape)) return Meaning::row(of.numbers);
  if (op_info(op).results[0] != 'S' || !of.is(Kind::kRow)) return {};
  for (const std::int32_t v : of.numbers)
    if (!numbers_.not_negative(v)) return {};
  return Meaning::shape(of.numbers);
}

bool NestInsts::begins(const Meaning& shape, std::size_t total, std::vector<std::size_t>& from) const {
  if (!shape.is(Kind::kShape)) return false;
  from.assign(1, 0);
  for (const std::int32_t length : shape.numbers) {
    const auto n = numbers_.few(length);
    if (!n) return false;
    from.push_back(from.back() + *n);
  }
  return from.back() == total;
}

bool NestInsts::fills(const Meaning& list, const Meaning& shape) const {
  return shape.is(Kind::kShape) && shape.numbers.size() == 1 &&
         numbers_.equal(list.list.length, shape.numbers[0]);
}

}  // namespace nvm::plan
