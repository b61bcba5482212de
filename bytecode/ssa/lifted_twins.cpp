// What stands twice in a lifted function: compilers write what instances compute on a way once for when all
// of them go that way, where nothing is packed, and once for when some do.
//
// Ensures: of two twins the one is executed by a group whose instances all have the flag, the other by a
// group in which some have it and some not, none by other groups; and of the same instances both count the
// same. So a group counts one of them, for its instances with the flag, if it has any, as the whole does.
// Twins stand in the same order on both ways, and nothing else there is charged. A group without any
// instances would go the way of all: functions that may be called so have no twins.
#include <algorithm>

#include "bytecode/ssa/lifted_internal.h"

namespace nvm::ssa {

std::vector<FunctionId> LiftedProof::idle_calls(bool occupied) {
  std::vector<FunctionId> idle;
  for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
    if (stops_[b]) continue;
    const Way way = way_to(static_cast<BlockId>(b));
    for (const Inst& in : f_.blocks[b].insts)
      if (in.op == Op::kCall && !has_instances(in, way, occupied)) idle.push_back(in.index);
  }
  return idle;
}

// Has the callee instances wherever a group comes this way?
bool LiftedProof::has_instances(const Inst& call, const Way& way, bool occupied) {
  const LiftedInfo& callee = m_.functions[static_cast<std::size_t>(call.index)].lifted;
  for (std::uint32_t i = 0; callee.lifted && i < call.operands; ++i) {
    if (callee.parameters[i].kind != Split::Kind::kFrame) continue;
    const Piece& frame = operand(call, i);
    if (way.number != kNoSymbol && facts_.of(f_.operands_of(call)[i]).sum == way.number) return true;
    if (frame.kind != Kind::kFrame || way.all) return false;
    return std::any_of(frame.total.begin(), frame.total.end(), [&](const auto& part) {
      const bool some =
          way.some ? terms_.descends(*way.some, part.first) : occupied && part.first == kAll && !way.mixed;
      return some && counts_some(part.second);
    });
  }
  return !callee.lifted;
}

// Is the number at least one for every instance?
bool LiftedProof::counts_some(Term t) const {
  if (t == kUnit) return true;
  const auto value = terms_.filled(t);
  const auto constant = value ? terms_.constant_of(*value) : std::nullopt;
  if (!constant) return false;
  const std::vector<std::int64_t>& numbers = m_.constants[static_cast<std::size_t>(*constant)].ints;
  return !numbers.empty() && *std::min_element(numbers.begin(), numbers.end()) > 0;
}

void LiftedProof::find_twins() {
  for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
    const Terminator& end = f_.blocks[b].end;
    if (stops_[b] || end.kind != Exit::kBranch || stops_at(end.target) || stops_at(end.otherwise)) continue;
    if (piece(end.condition).kind == Kind::kIfAll) find_twins(static_cast<BlockId>(b));
  }
}

// Of the ways behind one question.
void LiftedProof::find_twins(BlockId question) {
  const Piece& asked = piece(f_.blocks[static_cast<std::size_t>(question)].end.condition);
  const Way outer = way_to(question);
  const bool has_some = asked.group == outer.some.value_or(kAll);  // of none, all have the flag
  if (!has_some || outer.all || outer.unknown || outer.mixed || outer.number != kNoSymbol) return;
  const Group flagged = terms_.where(asked.group, asked.term);
  const std::size_t before = decisions(question).size();
  struct Place {
    const Inst* inst;
    std::size_t block;
  };
  std::vector<Place> all, some;
  for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
    if (stops_[b]) continue;
    const std::vector<Decision> way = decisions(static_cast<BlockId>(b));
    const std::size_t further = way.size() - std::min(before, way.size());
    const bool is_all = further == 1 && way[0].at == question && way[0].holds;
    const bool is_some =
        further == 2 && way[1].at == question && !way[1].holds && goes_where(way[0], flagged);
    if (!is_all && !is_some) continue;
    for (const Inst& in : f_.blocks[b].insts)
      if (in.op != Op::kCall && op_info(in.op).kind != OpKind::kBlock)
        (is_all ? all : some).push_back({&in, b});
  }
  std::size_t next = 0;
  Place last{nullptr, 0}, last_twin{nullptr, 0};
  for (const Place& a : all)
    for (std::size_t i = next; i < some.size(); ++i) {
      if (!twins(*a.inst, *some[i].inst, asked, flagged)) continue;
      if (last.inst == nullptr || a.block != last.block || some[i].block != last_twin.block) ++stretches_;
      last = a;
      last_twin = some[i];
      twins_[a.inst] = -stretches_;
      twins_[some[i].inst] = stretches_;
      next = i + 1;
      break;
    }
}

// Does one go on after this decision only if there are instances of the group?
bool LiftedProof::goes_where(const Decision& decision, Group group) {
  const Piece& asked = piece(f_.blocks[static_cast<std::size_t>(decision.at)].end.condition);
  if (decision.holds) return false;
  if (asked.kind == Kind::kIfEmpty) return asked.group == group;
  return asked.kind == Kind::kIfAll && terms_.where(asked.group, terms_.negate(asked.term)) == group;
}

bool LiftedProof::twins(const Inst& all, const Inst& some, const Piece& asked, Group flagged) {
  if (all.op != some.op || all.word != some.word || all.results != some.results) return false;
  for (std::uint32_t r = 0; r < all.results; ++r) {
    const auto result = static_cast<ValueId>(r);
    if (!agree_if_all(piece(all.first_result + result), piece(some.first_result + result), asked.group,
                      asked.term))
      return false;
  }
  const std::vector<ValueId> a = counted(all), b = counted(some);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Length of_all = length(a[i]), of_some = length(b[i]);
    if (!of_all.known || !of_some.known || of_all.of.has_value() != of_some.of.has_value()) return false;
    if (!of_all.of) {
      if (of_all.flat != of_some.flat) return false;
      continue;
    }
    if (terms_.collapse(*of_all.of, asked.group, asked.term) !=
        terms_.collapse(*of_some.of, asked.group, asked.term))
      return false;
    const auto is_flagged = [&](const auto& part) { return terms_.descends(part.first, flagged); };
    if (!std::all_of(of_some.of->begin(), of_some.of->end(), is_flagged)) return false;
  }
  return true;
}

bool LiftedProof::judge_twin(const Inst& in, std::int32_t stretch, InstCost& cost) {
  cost.twin = stretch;
  cost.flat_work = op_info(in.op).work == Work::k1 ? 1 : 0;
  for (const ValueId v : counted(in))
    if (const Length l = length(v); !l.of) cost.flat_work += l.flat;
  return true;
}

}  // namespace nvm::ssa
