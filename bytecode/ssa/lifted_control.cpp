// Control flow of lifted functions: where ways meet, checks that may end the program, what is returned.
#include <algorithm>

#include "bytecode/ssa/lifted_internal.h"

namespace nvm::ssa {

std::string LiftedProof::run() {
  for (std::size_t i = 0; i < f_.blocks[0].parameters.size(); ++i) parameter(i);
  for (std::size_t b = 0; b < f_.blocks.size() && refusal_.empty(); ++b) block(b);
  if (refusal_.empty() && !returned_) refuse("it never returns", f_.pos);
  return refusal_;
}

void LiftedProof::refuse(const std::string& why, SourcePos pos) {
  if (!refusal_.empty()) return;
  refusal_ = why;
  if (pos.line != 0)
    refusal_ += " (line " + std::to_string(pos.line) + ", column " + std::to_string(pos.column) + ")";
}

void LiftedProof::set(const Inst& in, std::uint32_t r, Piece p) {
  set(in.first_result + static_cast<ValueId>(r), std::move(p));
}

void LiftedProof::set(ValueId v, Piece p) {
  if (p.kind == Kind::kFrame) totals_.try_emplace(facts_.of(v).sum, p.total);
  pieces_[static_cast<std::size_t>(v)] = std::move(p);
}

bool LiftedProof::one_each(ValueId v) {
  const auto counted = totals_.find(facts_.of(v).length);
  return counted != totals_.end() && counted->second == terms_.total(piece(v).group, kUnit);
}

Piece LiftedProof::offsets(Group g, Term t, Term layout, Total of) {
  return {Kind::kOffsets, false, g, t, layout, std::move(of), kNoSymbol};
}

void LiftedProof::parameter(std::size_t i) {
  const auto number = static_cast<std::int32_t>(i);
  Piece p;
  switch (f_.lifted.parameters[i].kind) {
    case Split::Kind::kFrame: p = frame(terms_.total(kAll, kUnit)); break;
    case Split::Kind::kSame: p = same(terms_.parameter(number)); break;
    default: p = pieces(kAll, terms_.parameter(number)); break;
  }
  set(f_.blocks[0].parameters[i], std::move(p));
}

std::vector<bool> LiftedProof::blocks_that_stop(const Function& f) {
  std::vector<bool> stops(f.blocks.size(), false);
  for (std::size_t b = f.blocks.size(); b-- > 0;) {
    const Terminator& end = f.blocks[b].end;
    const auto to = [&](BlockId id) { return stops[static_cast<std::size_t>(id)]; };
    if (end.kind == Exit::kStop) stops[b] = true;
    if (end.kind == Exit::kJump) stops[b] = to(end.target);
    if (end.kind == Exit::kBranch) stops[b] = to(end.target) && to(end.otherwise);
  }
  return stops;
}

void LiftedProof::block(std::size_t b) {
  if (stops_[b]) {
    if (b == 0) refuse("it never returns", f_.pos);
    return;
  }
  if (b > 0 && !f_.blocks[b].parameters.empty()) join(b);
  for (const Inst& in : f_.blocks[b].insts) {
    inst(in);
    for (std::uint32_t r = 0; r < in.results; ++r)
      if (unknown_at_.line == 0 &&
          pieces_[static_cast<std::size_t>(in.first_result) + r].kind == Kind::kUnknown) {
        unknown_at_ = in.pos;
        unknown_ = std::string(op_info(in.op).text);
      }
    if (!refusal_.empty()) return;
  }
  const Terminator& end = f_.blocks[b].end;
  if (end.kind == Exit::kBranch && (stops_at(end.target) || stops_at(end.otherwise))) check(b, end.pos);
  if (end.kind != Exit::kReturn) return;
  returned_ = true;
  for (std::size_t i = 0; i < end.arguments.size(); ++i) {
    const Piece& p = piece(end.arguments[i]);
    if (p.kind == Kind::kPieces && p.group == kAll) continue;
    std::string why = "result " + std::to_string(i) + " is not made of one piece per instance";
    if (p.kind == Kind::kUnknown && !unknown_.empty())
      why += "; the first that is not understood is " + unknown_;
    refuse(why, unknown_at_.line != 0 ? unknown_at_ : end.pos);
  }
}

void LiftedProof::check(std::size_t b, SourcePos pos) {
  const Terminator& question = f_.blocks[b].end;
  const Piece& asked = piece(question.condition);
  const bool fails_if_all = stops_at(question.target) != asked.negated;
  std::optional<Group> about;
  if (asked.kind == Kind::kIfAll || asked.kind == Kind::kIfEmpty) about = asked.group;
  if (!about && asked.kind != Kind::kSame)
    return refuse("it may end the program, asking neither about all instances nor what all share", pos);
  for (auto block = static_cast<BlockId>(b); block > 0; block = idom_[static_cast<std::size_t>(block)]) {
    const std::vector<BlockId>& from = from_[static_cast<std::size_t>(block)];
    if (from.size() != 1) continue;
    const Terminator& end = f_.blocks[static_cast<std::size_t>(from[0])].end;
    if (end.kind != Exit::kBranch || stops_at(end.target) || stops_at(end.otherwise)) continue;
    const Piece& way = piece(end.condition);
    const bool holds = (end.target == block) != way.negated;
    if (way.kind == Kind::kSame || (way.kind != Kind::kUnknown && holds)) continue;
    if (way.kind == Kind::kIfAll || way.kind == Kind::kIfEmpty) {
      const Group comes =
          way.kind == Kind::kIfAll ? terms_.where(way.group, terms_.negate(way.term)) : way.group;
      if (!about) about = comes;  // some group has such an instance, and asks
      const bool decided = !fails_if_all || asked.kind == Kind::kSame;
      if (decided && terms_.descends(*about, comes)) continue;
      if (decided && way.kind == Kind::kIfAll && asked.kind == Kind::kIfAll &&
          asked_alike(question, way, end.target == block ? end.otherwise : end.target))
        continue;
    }
    return refuse("it may end the program where not all groups come", pos);
  }
}

// Is the same asked on the special way, which the groups take that do not come here? `head` begins it; it
// must be asked there without further conditions.
bool LiftedProof::asked_alike(const Terminator& question, const Piece& way, BlockId head) {
  const Piece& asked = piece(question.condition);
  for (BlockId block = head;;) {
    const Terminator& end = f_.blocks[static_cast<std::size_t>(block)].end;
    if (end.kind != Exit::kBranch || stops_at(end.target) == stops_at(end.otherwise)) return false;
    const Piece& there = piece(end.condition);
    const bool alike = there.kind == Kind::kIfAll && there.negated == asked.negated &&
                       stops_at(end.target) == stops_at(question.target) &&
                       terms_.collapse(there.group, way.group, way.term) ==
                           terms_.collapse(asked.group, way.group, way.term) &&
                       terms_.assume(there.term, way.term) == terms_.assume(asked.term, way.term);
    if (alike) return true;
    block = stops_at(end.target) ? end.otherwise : end.target;
  }
}

void LiftedProof::join(std::size_t b) {
  const BlockId top = idom_[b];
  const Terminator& branch = f_.blocks[static_cast<std::size_t>(top)].end;
  if (from_[b].size() != 2 || branch.kind != Exit::kBranch) return;  // parameters stay unknown
  BlockId yes = from_[b][0], no = from_[b][1];
  if (!dominates(idom_, branch.target, yes)) std::swap(yes, no);
  if (!dominates(idom_, branch.target, yes) || !dominates(idom_, branch.otherwise, no)) return;
  const Piece& condition = piece(branch.condition);
  if (condition.negated) std::swap(yes, no);
  for (std::size_t i = 0; i < f_.blocks[b].parameters.size(); ++i) {
    const ValueId v = f_.blocks[b].parameters[i];
    const ValueId from_yes = f_.blocks[static_cast<std::size_t>(yes)].end.arguments[i];
    const ValueId from_no = f_.blocks[static_cast<std::size_t>(no)].end.arguments[i];
    set(v, meet(condition, from_yes, from_no, branch.pos));
  }
}

Piece LiftedProof::meet(const Piece& condition, ValueId from_yes, ValueId from_no, SourcePos pos) {
  const Piece& yes = piece(from_yes);
  const Piece& no = piece(from_no);
  if (yes == no && yes.kind != Kind::kUnknown) return no;
  switch (condition.kind) {
    case Kind::kIfEmpty:
      if (empty_like(from_yes, no, condition.group)) return no;
      refuse_join("without instances the result is not empty", pos);
      return {};
    case Kind::kIfAll:
      if (empty_like(from_yes, no, terms_.where(condition.group, terms_.negate(condition.term)))) return no;
      if (agree_if_all(yes, no, condition.group, condition.term)) return no;
      refuse_join("the two ways are not seen to agree when all flags are set", pos);
      return {};
    case Kind::kIfNone:
      if (vanishes(from_yes, from_no, condition.number)) return no;
      refuse_join("the result of nothing is not empty", pos);
      return {};
    case Kind::kSame: return meet_same(condition.term, yes, no);
    default:
      refuse_join("a condition that is neither the same for all nor about how many flags are set", pos);
      return {};
  }
}

bool LiftedProof::empty_like(ValueId value, const Piece& no, Group group) {
  if (no.kind == Kind::kPieces || no.kind == Kind::kOffsets)
    return is_number(facts_.of(value).length, 0) && terms_.descends(no.group, group);
  const bool nothing = piece(value).kind == Kind::kSame && is_number(facts_.of(value).length, 1) &&
                       is_number(facts_.of(value).sum, 0);
  return nothing && (no.kind == Kind::kFrame || no.kind == Kind::kCount) &&
         std::all_of(no.total.begin(), no.total.end(),
                     [&](const auto& part) { return terms_.descends(part.first, group); });
}

bool LiftedProof::agree_if_all(const Piece& yes, const Piece& no, Group group, Term flag) {
  if (yes.kind != no.kind) return false;
  if (terms_.collapse(yes.total, group, flag) != terms_.collapse(no.total, group, flag)) return false;
  if (yes.kind == Kind::kFrame || yes.kind == Kind::kCount) return true;
  if (yes.kind != Kind::kPieces && yes.kind != Kind::kOffsets) return false;
  if (terms_.collapse(yes.group, group, flag) != terms_.collapse(no.group, group, flag)) return false;
  if (no.kind == Kind::kOffsets && terms_.assume(yes.layout, flag) != terms_.assume(no.layout, flag))
    return false;
  return terms_.assume(yes.term, flag) == terms_.assume(no.term, flag);
}

bool LiftedProof::vanishes(ValueId yes, ValueId no, Symbol number) const {
  const ValueFacts& other = facts_.of(no);
  const Kind kind = piece(no).kind;
  if (kind == Kind::kFrame)
    return is_number(facts_.of(yes).length, 1) && is_number(facts_.of(yes).sum, 0) && other.sum == number;
  if ((kind != Kind::kPieces && kind != Kind::kOffsets) || !is_number(facts_.of(yes).length, 0)) return false;
  if (other.length == number) return true;
  // What lies under segments of which there are none.
  for (std::size_t v = 0; v < f_.value_types.size(); ++v)
    if (f_.value_types[v] == Type::kSegdes && facts_.values[v].length == number &&
        facts_.values[v].sum == other.length)
      return true;
  return false;
}

Piece LiftedProof::meet_same(Term condition, const Piece& yes, const Piece& no) {
  if (yes.kind != no.kind || yes.group != no.group) return {};
  const bool same = yes.kind == Kind::kSame;
  if (!same && yes.kind != Kind::kPieces) return {};
  Piece out = no;
  out.term = terms_.apply(Op::kIf, TypeWord::kNone, 0, 0, {condition, yes.term, no.term});
  return out;
}

void LiftedProof::refuse_join(const std::string& why, SourcePos pos) {
  if (unknown_at_.line != 0) return;
  unknown_at_ = pos;
  unknown_ = "IF: " + why;
}

bool LiftedProof::is_number(Symbol s, std::int64_t number) const {
  return s != kNoSymbol && facts_.symbols.is_constant(s) && facts_.symbols.value(s) == number;
}

}  // namespace nvm::ssa
