// What each instruction makes of pieces.
#include <algorithm>

#include "bytecode/ssa/lifted_internal.h"

namespace nvm::ssa {

void LiftedProof::inst(const Inst& in) {
  if (in.op == Op::kConst) {
    set(in, 0, same(terms_.constant(in.index)));
    return;
  }
  if (op_info(in.op).effect == Effect::kOrdered)
    return refuse(std::string(op_info(in.op).text) + " reads or changes state", in.pos);
  if (in.op == Op::kCall) return call(in);
  if (in.op == Op::kPair || in.op == Op::kUnpair) return;
  if (all(in, Kind::kSame)) {
    for (std::uint32_t r = 0; r < in.results; ++r) set(in, r, same(apply(in, r, in.operands)));
    return;
  }
  switch (op_info(in.op).kind) {
    case OpKind::kShape: return shape(in);
    case OpKind::kDist: return dist(in);
    case OpKind::kIota: return index(in);
    case OpKind::kFilter: return pack(in);
    case OpKind::kMap: return map(in);
    default: break;
  }
  const Piece& descriptor = operand(in, in.operands - 1);
  if (in.op == Op::kDpermute && descriptor.kind == Kind::kPieces && put_chosen(in)) return;
  if (descriptor.kind == Kind::kPieces) return segmented(in);
  if (descriptor.kind != Kind::kFrame) return;
  if (in.op == Op::kBpermute) return gather(in);
  if (in.op == Op::kDpermute || in.op == Op::kPermute) return scatter(in);
  if (op_info(in.op).kind == OpKind::kReduce) return reduce(in);
  if (in.op == Op::kAddScan && in.word == TypeWord::kInt) return scan(in);
}

bool LiftedProof::all(const Inst& in, Kind kind) const {
  for (std::uint32_t i = 0; i < in.operands; ++i)
    if (operand(in, i).kind != kind) return false;
  return true;
}

bool LiftedProof::together(const Inst& in) const {
  for (std::uint32_t i = 0; i < in.operands; ++i)
    if (operand(in, i).group != operand(in, 0).group) return false;
  return all(in, Kind::kPieces);
}

Term LiftedProof::apply(const Inst& in, std::uint32_t result, std::uint32_t operands) {
  std::vector<Term> of;
  for (std::uint32_t i = 0; i < operands; ++i) of.push_back(operand(in, i).term);
  return terms_.apply(in.op, in.word, 0, static_cast<std::int32_t>(result), of);
}

// Which operands of an instruction are only moved into its first result.
static bool moves(Op op, std::uint32_t operand) {
  const OpKind kind = op_info(op).kind;
  if (op == Op::kReplace || op == Op::kDpermute) return operand == 0 || operand == 2;
  if (op == Op::kSelect) return operand > 0;
  return operand == 0 && (kind == OpKind::kExtract || kind == OpKind::kGather || kind == OpKind::kFilter);
}

void LiftedProof::segmented(const Inst& in) {
  const Piece* offset = nullptr;
  for (std::uint32_t i = 0; i < in.operands; ++i) {
    const Piece& p = operand(in, i);
    if (p.group != operand(in, 0).group || (p.kind != Kind::kPieces && p.kind != Kind::kOffsets)) return;
    if (p.kind != Kind::kOffsets) continue;
    if (!moves(in.op, i) || (offset != nullptr && !alike(*offset, p))) return;
    offset = &p;
  }
  // Places in the whole do not mix with numbers.
  for (std::uint32_t i = 0; i < in.operands && offset != nullptr; ++i)
    if (moves(in.op, i) && operand(in, i).kind != Kind::kOffsets) return;
  for (std::uint32_t r = 0; r < in.results; ++r) {
    Piece out = pieces(operand(in, 0).group, apply(in, r, in.operands));
    if (r == 0 && offset != nullptr) out = offsets(out.group, out.term, offset->layout, offset->total);
    set(in, r, std::move(out));
  }
}

void LiftedProof::shape(const Inst& in) {
  const Piece& of = operand(in, 0);
  const ValueId v = f_.operands_of(in)[0];
  if (in.op == Op::kLength) {
    if (of.kind != Kind::kPieces && of.kind != Kind::kOffsets) return;
    const auto known = totals_.find(facts_.of(v).length);
    set_count(in, known != totals_.end()
                      ? known->second
                      : terms_.total(of.group, terms_.apply(Op::kLength, TypeWord::kNone, 0, 0, {of.term})));
  } else if (of.kind == Kind::kPieces) {
    set(in, 0, of);
  } else if (of.kind == Kind::kFrame) {
    set_count(in, of.total);
  } else if (of.kind == Kind::kCount) {
    set(in, 0, frame(of.total));
  }
}

void LiftedProof::set_count(const Inst& in, Total total) {
  totals_.try_emplace(facts_.of(in.first_result).sum, total);
  set(in, 0, count(std::move(total)));
}

void LiftedProof::dist(const Inst& in) {
  const Piece& value = operand(in, 0);
  const Piece& over = operand(in, 1);
  if (over.kind == Kind::kFrame) {
    const auto whole = terms_.whole(over.total);
    if (value.kind != Kind::kSame || !whole) return;
    return set(in, 0, pieces(whole->first, terms_.fill(value.term, whole->second)));
  }
  if (over.kind != Kind::kPieces || value.group != over.group) return;
  if (value.kind == Kind::kOffsets)
    return set(in, 0, offsets(over.group, apply(in, 0, 2), value.layout, value.total));
  if (value.kind != Kind::kPieces) return;
  const auto filled = terms_.filled(value.term);
  const auto copied = spread_.find(value.term);
  if (copied != spread_.end())
    spread_.emplace(apply(in, 0, 2), copied->second);
  else if (!filled && one_each(f_.operands_of(in)[0]))
    spread_.emplace(apply(in, 0, 2), value.term);
  set(in, 0, pieces(over.group, filled ? terms_.fill(*filled, over.term) : apply(in, 0, 2)));
}

void LiftedProof::index(const Inst& in) {
  const Piece& start = operand(in, 0);
  const Piece& stride = operand(in, 1);
  const Piece& over = operand(in, 2);
  if (over.kind == Kind::kFrame) {
    const auto whole = terms_.whole(over.total);
    if (!whole || !is_constant(start, 0) || !is_constant(stride, 1)) return;
    return set(in, 0, offsets(whole->first, terms_.iota(whole->second), whole->second, over.total));
  }
  if (over.kind != Kind::kPieces || start.group != over.group || stride.group != over.group) return;
  if (stride.kind != Kind::kPieces) return;
  if (start.kind == Kind::kPieces) return set(in, 0, pieces(over.group, apply(in, 0, 3)));
  if (start.kind != Kind::kOffsets) return;
  const bool runs = counts_by_one(stride) && start.term == terms_.starts(over.term);
  set(in, 0, offsets(over.group, runs ? terms_.iota(over.term) : apply(in, 0, 3), start.layout, start.total));
}

bool LiftedProof::is_constant(const Piece& p, std::int64_t value) {
  return p.kind == Kind::kSame && is_constant_term(p.term, value);
}

bool LiftedProof::counts_by_one(const Piece& p) {
  const auto filled = terms_.filled(p.term);
  return filled && is_constant_term(*filled, 1);
}

std::optional<Term> LiftedProof::zero_term() {
  for (std::size_t i = 0; i < m_.constants.size(); ++i) {
    const Constant& c = m_.constants[i];
    if (c.word == TypeWord::kInt && c.input < 0 && c.ints == std::vector<std::int64_t>{0})
      return terms_.constant(static_cast<std::int32_t>(i));
  }
  return std::nullopt;
}

bool LiftedProof::is_constant_term(Term t, std::int64_t value) {
  for (std::size_t i = 0; i < m_.constants.size(); ++i) {
    const Constant& c = m_.constants[i];
    if (c.word != TypeWord::kInt || c.input >= 0 || c.ints != std::vector<std::int64_t>{value}) continue;
    if (terms_.constant(static_cast<std::int32_t>(i)) == t) return true;
  }
  return false;
}

void LiftedProof::pack(const Inst& in) {
  const Piece& value = operand(in, 0);
  const Piece& flags = operand(in, 1);
  const Piece& over = operand(in, 2);
  if (flags.kind != Kind::kPieces || value.group != flags.group) return;
  if (value.kind != Kind::kPieces && value.kind != Kind::kOffsets) return;
  const auto copied = spread_.find(flags.term);
  const bool spread = copied != spread_.end();
  const Term flag = spread ? copied->second : kNoTerm;
  const Term lengths = spread ? terms_.distributed_over(flags.term) : kNoTerm;
  if (over.kind == Kind::kPieces) {
    segmented(in);
    if (!spread || over.group != flags.group || over.term != lengths) return;
    if (const auto zero = zero_term())
      set(in, 1, pieces(over.group, terms_.merge(flag, lengths, terms_.fill(*zero, kUnit))));
  } else if (over.kind != Kind::kFrame) {
    return;
  }
  Piece out = value;
  if (over.kind == Kind::kPieces) {
    out.group = terms_.where(flags.group, flag);
  } else if (over.total == terms_.total(flags.group, kUnit)) {
    out.group = terms_.where(flags.group, flags.term);
    set(in, 1, frame(terms_.total(out.group, kUnit)));
  } else if (spread && over.total == terms_.total(flags.group, lengths)) {
    out.group = terms_.where(flags.group, flag);
    set(in, 1, frame(terms_.total(out.group, lengths)));
  } else {
    out.term = apply(in, 0, 2);
    const Term length = terms_.apply(Op::kLength, TypeWord::kNone, 0, 0, {out.term});
    set(in, 1, frame(terms_.total(out.group, length)));
  }
  out.term = terms_.within(out.term, out.group);
  set(in, 0, std::move(out));
}

void LiftedProof::map(const Inst& in) {
  if (in.op == Op::kSelect) return segmented(in);
  if (together(in)) {
    const Term flag = operand(in, 0).term;
    const bool negation = in.op == Op::kNot && in.word == TypeWord::kBool;
    return set(in, 0,
               pieces(operand(in, 0).group, negation ? terms_.negate(flag) : apply(in, 0, in.operands)));
  }
  if (in.operands == 1) return negate_condition(in);
  if (in.operands != 2 || in.word != TypeWord::kInt) return;
  const Piece& a = operand(in, 0);
  const Piece& b = operand(in, 1);
  if (a.kind == Kind::kCount) return on_counts(in);
  if (a.kind != Kind::kOffsets || a.group != b.group) return;
  const Term term = apply(in, 0, 2);
  if (b.kind == Kind::kPieces && (in.op == Op::kAdd || in.op == Op::kSub))
    return set(in, 0, offsets(a.group, term, a.layout, a.total));
  // Differences and comparisons of indices into one thing do not depend on where an instance begins.
  const bool relative = in.op == Op::kSub || letter_type(op_info(in.op).results[0], in.word) == Type::kBool;
  if (b.kind == Kind::kOffsets && a.total == b.total && relative) set(in, 0, pieces(a.group, term));
}

void LiftedProof::negate_condition(const Inst& in) {
  Piece p = operand(in, 0);
  if (in.op != Op::kNot || (p.kind != Kind::kIfAll && p.kind != Kind::kIfEmpty && p.kind != Kind::kIfNone))
    return;
  p.negated = !p.negated;
  set(in, 0, std::move(p));
}

void LiftedProof::on_counts(const Inst& in) {
  const Piece& a = operand(in, 0);
  const Piece& b = operand(in, 1);
  if (in.op == Op::kEq || in.op == Op::kNe || in.op == Op::kGt) return compare(in, a, b);
  if (b.kind != Kind::kCount) return;
  if (in.op == Op::kAdd) return set_count(in, terms_.add(a.total, b.total));
  if (in.op != Op::kSub) return;
  if (auto difference = terms_.subtract(a.total, b.total)) set_count(in, std::move(*difference));
}

void LiftedProof::compare(const Inst& in, const Piece& a, const Piece& b) {
  Piece out;
  out.negated = in.op != Op::kEq;  // no count is negative
  auto counts = [](const Piece& p) { return p.total.size() == 1 && p.total[0].second == kUnit; };
  if (!counts(a)) {
    if (!is_constant(b, 0)) return;
    out.kind = Kind::kIfNone;
    out.number = facts_.of(f_.operands_of(in)[0]).sum;
    return set(in, 0, std::move(out));
  }
  const Group some = a.total[0].first;
  if (is_constant(b, 0)) {
    out.kind = Kind::kIfEmpty;
    out.group = some;
    const auto parent = terms_.parent(some);
    if (parent) {  // nobody has the flag: all have its negation
      out.kind = Kind::kIfAll;
      out.group = parent->first;
      out.term = terms_.negate(parent->second);
    }
    return set(in, 0, std::move(out));
  }
  if (in.op == Op::kGt || b.kind != Kind::kCount || !counts(b)) return;
  const Group other = b.total[0].first;
  auto flag = terms_.chosen_by(some, other);
  out.group = other;
  if (!flag) {
    flag = terms_.chosen_by(other, some);
    out.group = some;
  }
  if (!flag) return;
  out.kind = Kind::kIfAll;
  out.term = *flag;
  set(in, 0, std::move(out));
}

void LiftedProof::reduce(const Inst& in) {
  const Piece& value = operand(in, 0);
  const Total& over = operand(in, 1).total;
  if (value.kind != Kind::kPieces) return;
  const bool per_instance = over == terms_.total(value.group, kUnit);
  if (in.op == Op::kAddReduce && in.word == TypeWord::kInt) {
    const auto flag = terms_.flag_as_number(value.term);
    if (flag && per_instance) return set_count(in, terms_.total(terms_.where(value.group, *flag), kUnit));
    return set_count(in, terms_.total(value.group, value.term));
  }
  if (in.word != TypeWord::kBool) return;
  Piece out;
  out.kind = Kind::kIfAll;
  out.group = value.group;
  out.term =
      per_instance ? value.term : terms_.apply(in.op, in.word, 0, 0, {value.term});  // all or any of its own
  if (in.op == Op::kOrReduce) {
    out.term = terms_.negate(out.term);
    out.negated = true;
  }
  if (in.op == Op::kAndReduce || in.op == Op::kOrReduce) set(in, 0, std::move(out));
}

void LiftedProof::scan(const Inst& in) {
  const Piece& lengths = operand(in, 0);
  if (lengths.kind != Kind::kPieces) return;
  set(in, 0,
      offsets(lengths.group, terms_.starts(lengths.term), lengths.term,
              terms_.total(lengths.group, lengths.term)));
}

bool LiftedProof::runs_through(const Piece& indices) {
  const Term sizes = terms_.within(indices.layout, indices.group);
  if (indices.term == terms_.iota(sizes)) return true;
  const auto all = terms_.filled(sizes);  // segments of one element begin at all that there are
  return all && is_constant_term(*all, 1) && indices.term == terms_.starts(sizes);
}

std::optional<Group> LiftedProof::indexed(const Piece& indices) {
  const auto whole = terms_.whole(indices.total);
  if (!whole || whole->second != indices.layout) return std::nullopt;
  return whole->first;
}

// A place need not be the instance's own: a group has its neighbours at the same distances as the whole has,
// and where they are in another group the place is outside of the vector, which fails and takes the group
// back.
void LiftedProof::gather(const Inst& in) {
  const Piece& from = operand(in, 0);
  const Piece& indices = operand(in, 1);
  if (from.kind == Kind::kSame) return gather_same(in);
  if (indices.kind != Kind::kOffsets || operand(in, 2).kind != Kind::kFrame) return;
  if (operand(in, 2).total != indices.total || indexed(indices) != from.group) return;
  if (from.kind != Kind::kPieces && from.kind != Kind::kOffsets) return;
  if (!terms_.descends(indices.group, from.group)) return;
  Piece out = from;
  out.group = indices.group;
  const Term term = terms_.within(from.term, indices.group);
  out.term = runs_through(indices) ? term : terms_.apply(in.op, in.word, 0, 0, {term, indices.term});
  set(in, 0, std::move(out));
}

void LiftedProof::gather_same(const Inst& in) {
  const Piece& indices = operand(in, 1);
  if (operand(in, 2).kind != Kind::kSame || indices.kind != Kind::kPieces) return;
  set(in, 0,
      pieces(indices.group,
             terms_.apply(in.op, in.word, 0, 0, {operand(in, 0).term, indices.term, operand(in, 2).term})));
}

void LiftedProof::scatter(const Inst& in) {
  const Piece& value = operand(in, 0);
  const Piece& indices = operand(in, 1);
  const Piece& over = operand(in, in.operands - 1);
  if (value.kind != Kind::kPieces || indices.kind != Kind::kOffsets) return;
  if (value.group != indices.group || over.total != indices.total) return;
  const auto group = indexed(indices);
  if (!group) return;
  const bool runs = runs_through(indices);
  if (runs && value.group == *group) return set(in, 0, value);
  const bool defaults = in.op == Op::kDpermute;
  if (defaults && (operand(in, 2).kind != Kind::kPieces || operand(in, 2).group != *group)) return;
  const auto flag = terms_.chosen_by(value.group, *group);
  if (defaults && runs && flag)
    return set(in, 0, pieces(*group, terms_.merge(*flag, value.term, operand(in, 2).term)));
}

// Instances of a group bring all that there is of theirs, and where they have nothing the default stands. The
// segments brought are as long as the places for them, those of other instances are empty.
bool LiftedProof::put_chosen(const Inst& in) {
  const Piece& value = operand(in, 0);
  const Piece& indices = operand(in, 1);
  const Piece& defaults = operand(in, 2);
  const Piece& from = operand(in, 3);
  const Piece& to = operand(in, 4);
  for (const Piece* p : {&value, &indices, &defaults, &from})
    if (p->kind != Kind::kPieces) return false;
  const Group whole = to.group;
  if (indices.group != whole || defaults.group != whole || from.group != whole) return false;
  const auto flag = terms_.chosen_by(value.group, whole);
  if (!flag || terms_.assume(from.term, *flag) != terms_.assume(to.term, *flag)) return false;
  const auto none = terms_.filled(terms_.assume(from.term, terms_.negate(*flag)));
  if (!none || !is_constant_term(*none, 0) || !counts_from_zero(indices.term, from.term)) return false;
  set(in, 0, pieces(whole, terms_.merge(*flag, value.term, defaults.term)));
  return true;
}

// 0, 1, ... in each segment?
bool LiftedProof::counts_from_zero(Term indices, Term lengths) {
  const auto made = terms_.operands_of(indices, Op::kIndex);
  if (made.size() != 3 || made[2] != lengths) return false;
  const auto start = terms_.filled(made[0]), stride = terms_.filled(made[1]);
  return start && stride && is_constant_term(*start, 0) && is_constant_term(*stride, 1);
}

bool LiftedProof::cut_like(const Inst& in, const Function& callee) const {
  const std::vector<Split>& splits = callee.lifted.parameters;
  const auto frame = std::find_if(splits.begin(), splits.end(),
                                  [](const Split& s) { return s.kind == Split::Kind::kFrame; });
  const auto given = [&](std::size_t i) -> const ValueFacts& { return facts_.of(f_.operands_of(in)[i]); };
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const Symbol length = given(i).length;
    if (splits[i].kind == Split::Kind::kInstances &&
        length != given(static_cast<std::size_t>(frame - splits.begin())).sum)
      return false;
    if (splits[i].kind == Split::Kind::kUnder &&
        length != given(static_cast<std::size_t>(splits[i].under)).sum)
      return false;
  }
  return true;
}

void LiftedProof::call(const Inst& in) {
  const auto to = static_cast<std::size_t>(in.index);
  const Function& callee = m_.functions[to];
  if (!assumed_[to]) return refuse("it calls " + callee.name + ", which is not lifted", in.pos);
  if (!cut_like(in, callee)) return;
  std::vector<Term> of;
  std::optional<Group> group;
  for (std::uint32_t i = 0; i < in.operands; ++i) {
    const Piece& p = operand(in, i);
    switch (callee.lifted.parameters[i].kind) {
      case Split::Kind::kSame:
        if (p.kind != Kind::kSame) return;
        of.push_back(p.term);
        break;
      case Split::Kind::kFrame: {
        const auto whole = p.kind == Kind::kFrame ? terms_.whole(p.total) : std::nullopt;
        if (!whole || (group && *group != whole->first)) return;
        group = whole->first;
        of.push_back(whole->second);
        break;
      }
      default:
        if (p.kind != Kind::kPieces || (group && *group != p.group)) return;
        group = p.group;
        of.push_back(p.term);
        break;
    }
  }
  for (std::uint32_t r = 0; r < in.results; ++r)
    set(in, r, pieces(*group, terms_.apply(in.op, in.word, in.index, static_cast<std::int32_t>(r), of)));
}

}  // namespace nvm::ssa
