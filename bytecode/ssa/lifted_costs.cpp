// What a lifted function costs, such that groups of its instances cost together what the whole does.
//
// Requires: the function is lifted and every value has its piece. Ensures: for every instruction, whether the
// cost model charges it; that the figures follow from what the groups execute:
//
// - An instruction that is charged is executed by the whole if and only if some group executes it, and by
//   every group that has something for it. So the lengths of pieces add up over the groups, and what is the
//   same for all (flat_work) counts once however many groups executed the instruction.
// - What only deals out instances is not charged: finding out which way they go, packing them if they go both
//   ways, putting the results together again. A group without instances of either kind does none of it, and
//   the language's cost model knows nothing of it: a conditional costs what the way taken costs.
//
// - What an instance computes on its way may stand twice, for when all instances go that way and for when
//   some do (lifted_twins.cpp). Then both are charged, as if they were one.
//
// Refused is a function whose own work could be left out by that: it computes on one of the ways that are
// taken when all instances agree, and not likewise where some do, or calls where not every group with
// instances comes.
#include <algorithm>

#include "bytecode/ssa/lifted_internal.h"

namespace nvm::ssa {

std::string LiftedProof::judge_costs(const std::vector<bool>& add_up, bool occupied,
                                     std::vector<InstCost>& costs) {
  costs.clear();
  twins_.clear();
  stretches_ = 0;
  if (occupied) find_twins();
  for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
    const Way way = stops_[b] ? Way{} : way_to(static_cast<BlockId>(b));
    for (const Inst& in : f_.blocks[b].insts) {
      InstCost& cost = costs.emplace_back();
      const bool free = op_info(in.op).kind == OpKind::kBlock;
      if (stops_[b] || free) continue;
      const auto twin = twins_.find(&in);
      const bool adds = twin != twins_.end() ? judge_twin(in, twin->second, cost)
                        : in.op == Op::kCall ? judge_call(in, way, add_up)
                                             : judge_cost(in, way, cost);
      if (!adds)
        return std::string(op_info(in.op).text) + " (line " + std::to_string(in.pos.line) + ", column " +
               std::to_string(in.pos.column) + ")";
    }
  }
  return "";
}

std::vector<LiftedProof::Decision> LiftedProof::decisions(BlockId b) const {
  std::vector<Decision> found;
  for (BlockId block = b; block > 0; block = idom_[static_cast<std::size_t>(block)]) {
    const std::vector<BlockId>& from = from_[static_cast<std::size_t>(block)];
    if (from.size() != 1) continue;
    const Terminator& end = f_.blocks[static_cast<std::size_t>(from[0])].end;
    if (end.kind != Exit::kBranch || stops_at(end.target) || stops_at(end.otherwise)) continue;
    const Piece& asked = piece(end.condition);
    if (asked.kind != Kind::kSame) found.push_back({from[0], (end.target == block) != asked.negated});
  }
  return found;
}

LiftedProof::Way LiftedProof::way_to(BlockId b) {
  Way way;
  std::vector<Group> some;
  std::vector<Symbol> numbers;
  for (const Decision& decision : decisions(b)) {
    const Piece& asked = piece(f_.blocks[static_cast<std::size_t>(decision.at)].end.condition);
    if (decision.holds) {
      way.all = true;
    } else if (asked.kind == Kind::kIfAll) {
      some.push_back(terms_.where(asked.group, terms_.negate(asked.term)));
    } else if (asked.kind == Kind::kIfEmpty) {
      some.push_back(asked.group);
    } else if (asked.kind == Kind::kIfNone && totals_.contains(asked.number)) {
      numbers.push_back(asked.number);
    } else {
      way.unknown = true;
    }
  }
  if (!numbers.empty()) {  // what is counted lies with instances of each of the groups
    way.number = numbers[0];
    const Total& counted = totals_.at(way.number);
    way.unknown = way.unknown || numbers.size() > 1;
    for (const Group g : some)
      way.unknown = way.unknown || !std::all_of(counted.begin(), counted.end(), [&](const auto& part) {
                      return terms_.descends(part.first, g);
                    });
    return way;
  }
  for (const Group g : some)
    if (std::all_of(some.begin(), some.end(), [&](Group other) { return terms_.descends(g, other); }))
      way.some = g;
  way.mixed = !some.empty() && !way.some;
  return way;
}

LiftedProof::Length LiftedProof::length(ValueId v) {
  const Piece& p = piece(v);
  const Symbol length = facts_.of(v).length;
  switch (p.kind) {
    case Kind::kUnknown: return {};
    case Kind::kPieces:
    case Kind::kOffsets: return {true, Total{{p.group, kUnit}}, 0, length};
    case Kind::kSame: {
      if (length == kNoSymbol || !facts_.symbols.is_constant(length)) return {};
      const std::int64_t n = facts_.symbols.value(length);
      return {n < 1 << 20, std::nullopt, static_cast<std::int32_t>(n)};
    }
    default: return {true, std::nullopt, 1};
  }
}

// Does every group that has something of this come this way? `number` is how much that is.
bool LiftedProof::within(const Total& total, Symbol number, const Way& way) const {
  if (way.number != kNoSymbol) return number == way.number;
  return std::all_of(total.begin(), total.end(),
                     [&](const auto& part) { return !way.some || terms_.descends(part.first, *way.some); });
}

std::vector<ValueId> LiftedProof::counted(const Inst& in) const {
  const Work work = op_info(in.op).work;
  std::vector<ValueId> values;
  if (work == Work::kN && in.operands > 0) values.push_back(f_.operands_of(in)[0]);
  for (std::uint32_t r = 0; work == Work::kR && r < in.results; ++r)
    values.push_back(in.first_result + static_cast<ValueId>(r));
  return values;
}

bool LiftedProof::judge_cost(const Inst& in, const Way& way, InstCost& cost) {
  bool adds = false, everybody = true;
  cost.flat_work = op_info(in.op).work == Work::k1 ? 1 : 0;
  for (const ValueId v : counted(in)) {
    const Length l = length(v);
    if (!l.known) return false;
    if (!l.of) cost.flat_work += l.flat;
    if (!l.of) continue;
    adds = true;
    everybody = everybody && within(*l.of, l.number, way);
  }
  if (way.unknown || (way.number != kNoSymbol && !everybody)) return false;
  const bool literal = in.op == Op::kDist && operand(in, 0).kind == Kind::kSame;  // costs nothing
  const bool shape = op_info(in.op).kind == OpKind::kShape;  // where results are merged, merging makes it
  if (way.all && adds && !literal && !shape) return false;   // would be left out
  if (way.all || way.mixed || !everybody) cost = {true, 0};
  return true;
}

bool LiftedProof::judge_call(const Inst& in, const Way& way, const std::vector<bool>& add_up) {
  if (way.all || way.unknown || way.mixed || !add_up[static_cast<std::size_t>(in.index)]) return false;
  // Of other instances than ours, one for all say, nothing is known, though nobody may ask for what they
  // give.
  if (in.results == 0) return false;
  for (std::uint32_t r = 0; r < in.results; ++r)
    if (piece(in.first_result + static_cast<ValueId>(r)).kind != Kind::kPieces) return false;
  for (std::uint32_t i = 0; i < in.operands; ++i)  // what else is cut belongs to instances of the frame
    if (operand(in, i).kind == Kind::kFrame &&
        !within(operand(in, i).total, facts_.of(f_.operands_of(in)[i]).sum, way))
      return false;
  return true;
}

}  // namespace nvm::ssa
