#include "vm/interp/code.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "bytecode/base/at.h"
#include "bytecode/base/budget.h"
#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/demand.h"
#include "bytecode/ssa/facts.h"
#include "bytecode/ssa/passes.h"
#include "vm/interp/elements.h"
#include "vm/interp/find_pulls.h"
#include "vm/interp/pack_groups.h"
#include "vm/interp/slots.h"
#include "vm/prims/chain.h"
#include "vm/prims/part_maps.h"
#include "vm/prims/sort.h"
#include "vm/prims/views.h"

namespace nvm::vm {

namespace {

using ssa::BlockId;
using ssa::ValueId;

// By function: is it of the prelude, whose instructions have no lines of NESL? Constants may have that of a
// call.
std::vector<bool> find_library(const ssa::Module& module) {
  std::vector<bool> library;
  for (const ssa::Function& f : module.functions)
    library.push_back(std::all_of(f.blocks.begin(), f.blocks.end(), [](const ssa::Block& block) {
      return std::all_of(block.insts.begin(), block.insts.end(), [](const ssa::Inst& inst) {
        return inst.origin_line == 0 || inst.op == Op::kConst;
      });
    }));
  return library;
}

// Translates one function.
class Translator {
 public:
  Translator(const ssa::Module& module, const ssa::Function& f, ssa::FunctionId id, const ssa::Demand& demand,
             const std::vector<bool>& library)
      : f_(f),
        id_(id),
        demand_(demand),
        library_(library),
        slots_(assign_slots(f)),
        liveness_(ssa::liveness(f)),
        pulls_(find_pulls(f, id, demand)) {
    constant_.assign(at(f.values()), -1);
    for (const ssa::Block& block : f.blocks)
      for (const ssa::Inst& inst : block.insts)
        if (inst.op == Op::kConst) constant_[at(inst.first_result)] = inst.index;
    find_mapped();
    find_sorted();
    out_.groups = find_pack_groups(f, slots_, demand);
    find_equal(module);
    out_.levels = ssa::find_levels(module, id);
  }

  CodeFunction run() {
    out_.source = &f_;
    out_.slots = slots_.count;
    out_.parameters = static_cast<std::int32_t>(f_.blocks[0].parameters.size());
    start_.resize(f_.blocks.size());
    for (block_ = 0; block_ < static_cast<BlockId>(f_.blocks.size()); ++block_) translate_block();
    for (const auto& [step, block] : jumps_) out_.steps[step].target = start_[at(block)];
    return std::move(out_);
  }

 private:
  // Does no tier take it from the interpreter?
  static bool never_recorded(Op op) {
    const OpKind kind = op_info(op).kind;
    return kind == OpKind::kRandom || scatters(op) || op == Op::kReplace;
  }
  void find_mapped() {
    mapped_.assign(at(f_.values()), false);
    ssa::each_read(f_, [&](ValueId v, const ssa::Inst* inst, std::uint32_t i) {
      if (inst != nullptr && op_takes(inst->op, i, Form::kUniform) && !never_recorded(inst->op))
        mapped_[at(v)] = true;
    });
  }

  // RANK whose result is read once, by a PERMUTE of what it ranks, with no call between them.
  void find_sorted() {
    const std::vector<int> reads = ssa::reads_of(f_);
    for (const ssa::Block& block : f_.blocks) {
      std::unordered_map<ValueId, const ssa::Inst*> ranks;
      for (const ssa::Inst& inst : block.insts) {
        const ValueId* operands = f_.operands_of(inst);
        if (op_info(inst.op).kind == OpKind::kRank && reads[at(inst.first_result)] == 1)
          ranks[inst.first_result] = &inst;
        if (inst.op == Op::kCall) ranks.clear();
        if (inst.op != Op::kPermute) continue;
        const auto found = ranks.find(operands[1]);
        if (found == ranks.end() || f_.operands_of(*found->second)[0] != operands[0] ||
            f_.operands_of(*found->second)[1] != operands[2])
          continue;
        sorted_.insert(found->second);
        sorted_.insert(&inst);
      }
    }
  }

  // DIST of DIST ... of a constant of one element.
  void find_equal(const ssa::Module& module) {
    const std::vector<const ssa::Inst*> makers = ssa::makers_of(f_);
    one_constant_.assign(at(f_.values()), false);
    for (const ssa::Block& block : f_.blocks)
      for (const ssa::Inst& inst : block.insts) {
        if (inst.op != Op::kDist) continue;
        const ssa::Constant* c = ssa::constant_elements(module, f_, inst.first_result, makers);
        one_constant_[at(inst.first_result)] = c != nullptr && c->ints.size() + c->floats.size() == 1;
      }
  }

  void translate_block() {
    const ssa::Block& block = f_.blocks[at(block_)];
    start_[at(block_)] = static_cast<std::int32_t>(out_.steps.size());
    drop_dead();
    const std::vector<std::uint64_t>& dies = liveness_.dies[at(block_)];
    for (std::size_t i = 0; i < block.insts.size(); ++i) {
      check_budget();
      const ssa::Inst& inst = block.insts[i];
      if (inst.op == Op::kConst) continue;
      if (inst.op == Op::kCall && i + 1 == block.insts.size() && !names_line(inst) &&
          returns_only(inst, block.end)) {
        add_inst(StepKind::kTailCall, inst, static_cast<std::int32_t>(i), dies[i]);
        return;
      }
      add_inst(kind_of(inst.op), inst, static_cast<std::int32_t>(i), dies[i]);
    }
    add_end(block.end, dies.back());
  }

  static StepKind kind_of(Op op) {
    if (op == Op::kCall) return StepKind::kCall;
    if (op == Op::kPair) return StepKind::kPair;
    if (op == Op::kUnpair) return StepKind::kUnpair;
    return op_info(op).kind == OpKind::kHost ? StepKind::kHost : StepKind::kPrimitive;
  }

  // Values that nobody on this path looks at any more, and parameters that nobody ever looks at.
  void drop_dead() {
    std::vector<std::int32_t> dead;
    for (const ValueId v : liveness_.dead_on_entry[at(block_)])
      if (slots_.slot[at(v)] != kNoSlot) dead.push_back(slots_.slot[at(v)]);
    if (dead.empty()) return;
    Step step;
    step.kind = StepKind::kDrop;
    set_results(step, dead);
    out_.steps.push_back(step);
  }

  // What fails in the prelude is reported at the line of the call, so that must stay open.
  [[nodiscard]] bool names_line(const ssa::Inst& call) const {
    return call.origin_line != 0 && library_[at(call.index)];
  }

  // True if all that happens after `call`, last of its block, is to return its results in order.
  [[nodiscard]] bool returns_only(const ssa::Inst& call, const ssa::Terminator& block_end) const {
    const ssa::Terminator* end = &block_end;
    std::unordered_map<ValueId, ValueId> renamed;
    while (end->kind == ssa::Exit::kJump) {
      const ssa::Block& next = f_.blocks[at(end->target)];
      if (!next.insts.empty()) return false;
      for (std::size_t i = 0; i < next.parameters.size(); ++i) {
        const auto known = renamed.find(end->arguments[i]);
        renamed[next.parameters[i]] = known == renamed.end() ? end->arguments[i] : known->second;
      }
      end = &next.end;
    }
    if (end->kind != ssa::Exit::kReturn || end->arguments.size() != call.results) return false;
    for (std::size_t i = 0; i < end->arguments.size(); ++i) {
      const auto known = renamed.find(end->arguments[i]);
      const ValueId value = known == renamed.end() ? end->arguments[i] : known->second;
      if (value != call.first_result + static_cast<ValueId>(i)) return false;
    }
    return true;
  }

  [[nodiscard]] Operand operand(ValueId v, bool dies) const {
    return constant_[at(v)] >= 0 ? Operand::constant(constant_[at(v)])
                                 : Operand::slot(slots_.slot[at(v)], dies);
  }

  void set_operands(Step& step, const ValueId* values, std::size_t n, std::uint64_t dies) {
    step.operands = static_cast<std::uint32_t>(n);
    step.first_operand = static_cast<std::uint32_t>(out_.operands.size());
    for (std::size_t i = 0; i < n; ++i) out_.operands.push_back(operand(values[i], bit(dies, i)));
    for (std::size_t i = 0; i < n; ++i) note_pulled(step, i, values[i]);
  }
  void note_pulled(Step& step, std::size_t i, ValueId v) const {
    if (pulls_.may[at(v)]) step.pulled |= std::uint64_t{1} << i;
  }
  static bool bit(std::uint64_t bits, std::size_t i) { return i < 64 && (bits >> i & 1) != 0; }
  void set_results(Step& step, const std::vector<std::int32_t>& slots) {
    step.results = static_cast<std::uint32_t>(slots.size());
    step.first_result = static_cast<std::uint32_t>(out_.result_slots.size());
    out_.result_slots.insert(out_.result_slots.end(), slots.begin(), slots.end());
  }

  // What is done with a primitive where nobody records it.
  [[nodiscard]] PrimFn alone(const ssa::Inst& inst) const {
    if (inst.results == 1 && demand_.may(inst.first_result, Form::kSlices))
      return find_part_maker(inst.op, inst.word);
    if (inst.results > 0 && demand_.may(inst.first_result, kMakerForms)) return find_maker(inst.op);
    return find_reader(inst.op, inst.results > 1 && slots_.slot[at(inst.first_result + 1)] != kNoSlot);
  }

  void add_inst(StepKind kind, const ssa::Inst& inst, std::int32_t index, std::uint64_t dies) {
    Step step;
    step.kind = kind;
    step.op = inst.op;
    step.counted = counted_by(inst);
    step.word = inst.word;
    step.inst = &inst;
    step.pos = inst.pos;
    step.site = {id_, block_, index};
    if (kind == StepKind::kPrimitive) step.alone = alone(inst);
    const OpViews& row = op_views(inst.op);
    if (inst.results == 1) step.leaves = demand_.of(inst.first_result) & (row.leaves | ssa::kFound);
    if (inst.operands > 1) step.indices = demand_.of(f_.operands_of(inst)[1]) & row.takes[1];
    step.repeats = inst.op == Op::kDist && step.leaves.has(Form::kUniform);
    step.one_constant = step.repeats && one_constant_[at(inst.first_result)];
    if (sorted_.contains(&inst)) step.sorts = inst.op == Op::kPermute ? permute_ranked : rank_later;
    for (std::uint32_t i = 0; i < inst.operands; ++i)
      step.repeated |= static_cast<std::uint16_t>(op_takes(inst.op, i, Form::kUniform) ? 1U << i : 0U);
    if (step.indices.has(Form::kStrided)) step.repeated |= 1;  // one value put along them
    // What leaves or takes a period takes equal elements, too.
    if (step.alone != nullptr && (inst.op == Op::kReplace || inst.op == Op::kAddScan)) step.repeated |= 1;
    if (inst.op == Op::kPack && out_.groups.size() < 1000) step.group = group_of(out_.groups, inst);
    step.chains = kind == StepKind::kPrimitive && Chain::admits(inst.op, inst.word);
    step.unrecorded = step.repeats && !mapped_[at(inst.first_result)];
    step.pending = out_.levels &&
                   (kind == StepKind::kCall ? inst.index == id_
                                            : inst.results == 1 && out_.levels->moved[at(inst.first_result)]);
    set_operands(step, f_.operands_of(inst), inst.operands, dies);
    step.leaves_pull = inst.results == 1 && pulls_.leaves[at(inst.first_result)];
    step.takes_pull = inst.results == 1 && pulls_.takes(inst);
    if (step.takes_pull) step.pulled &= ~std::uint64_t{1};
    std::vector<std::int32_t> results;
    for (std::uint32_t r = 0; r < inst.results; ++r)
      results.push_back(slots_.slot[at(inst.first_result + static_cast<ValueId>(r))]);
    set_results(step, results);
    if (inst.op == Op::kCall) {
      step.target = inst.index;
      // At least one slot stays, so that calls without values use up the memory for frames, too.
      step.window = std::max(slots_.occupied[at(block_)][at(index)], 1);
      for (std::uint32_t i = 0; i < inst.operands; ++i)
        step.window = std::max(step.window, slots_.slot[at(f_.operands_of(inst)[i])] + 1);
    }
    out_.steps.push_back(step);
  }

  void add_end(const ssa::Terminator& end, std::uint64_t dies) {
    Step step;
    step.pos = end.pos;
    step.site = {id_, block_, static_cast<std::int32_t>(f_.blocks[at(block_)].insts.size())};
    switch (end.kind) {
      case ssa::Exit::kStop: step.kind = StepKind::kStop; break;
      case ssa::Exit::kReturn:
        step.kind = StepKind::kReturn;
        set_operands(step, end.arguments.data(), end.arguments.size(), dies);
        break;
      case ssa::Exit::kJump:
        set_jump(step, end, dies);
        if (step.operands == 0 && end.target == block_ + 1) return;
        jumps_.emplace_back(out_.steps.size(), end.target);
        break;
      case ssa::Exit::kBranch:
        add_branch(step, end, dies);
        if (end.target == block_ + 1) return;
        step = Step();
        step.kind = StepKind::kJump;
        jumps_.emplace_back(out_.steps.size(), end.target);
        break;
    }
    out_.steps.push_back(step);
  }

  // Moves only what is not in its place already. What is there and may be a pull is looked at, so that it is
  // written: who reads it behind the jump expects no pull.
  void set_jump(Step& step, const ssa::Terminator& end, std::uint64_t dies) {
    step.kind = StepKind::kJump;
    step.first_operand = static_cast<std::uint32_t>(out_.operands.size());
    std::vector<std::int32_t> targets;
    const auto& parameters = f_.blocks[at(end.target)].parameters;
    for (std::size_t i = 0; i < end.arguments.size(); ++i) {
      const Operand from = operand(end.arguments[i], bit(dies, i));
      const std::int32_t to = slots_.slot[at(parameters[i])];
      if (!from.is_constant() && from.dies() && from.slot() == to) {
        if (!pulls_.may[at(end.arguments[i])]) continue;
        note_pulled(step, targets.size(), end.arguments[i]);
        out_.operands.push_back(Operand::slot(to, false));
        targets.push_back(kNoSlot);
        continue;
      }
      for (std::size_t k = 0; k < i; ++k)
        step.overlaps =
            step.overlaps || (!from.is_constant() && slots_.slot[at(parameters[k])] == from.slot());
      note_pulled(step, targets.size(), end.arguments[i]);
      out_.operands.push_back(from);
      targets.push_back(to);
    }
    step.operands = static_cast<std::uint32_t>(targets.size());
    set_results(step, targets);
  }

  // True if a block uses constants and what it makes itself.
  [[nodiscard]] bool stands_alone(const ssa::Block& block) const {
    std::unordered_set<ValueId> made;
    for (const ssa::Inst& inst : block.insts) {
      for (std::uint32_t i = 0; i < inst.operands; ++i) {
        const ValueId v = f_.operands_of(inst)[i];
        if (constant_[at(v)] < 0 && !made.contains(v)) return false;
      }
      for (std::uint32_t r = 0; r < inst.results; ++r)
        made.insert(inst.first_result + static_cast<ValueId>(r));
    }
    return true;
  }

  // The true branch mostly follows at once; otherwise a jump takes us there.
  void add_branch(Step& step, const ssa::Terminator& end, std::uint64_t dies) {
    step.kind = StepKind::kBranch;
    step.checks = is_check(f_, f_.blocks[at(block_)]) && stands_alone(f_.blocks[at(end.target)]);
    set_operands(step, &end.condition, 1, dies);
    jumps_.emplace_back(out_.steps.size(), end.otherwise);
    out_.steps.push_back(step);
  }

  const ssa::Function& f_;
  ssa::FunctionId id_;
  const ssa::Demand& demand_;
  const std::vector<bool>& library_;  // by function
  Slots slots_;
  ssa::Liveness liveness_;
  std::vector<std::int32_t> constant_;  // by ValueId: index of the constant it is, or -1
  std::vector<bool> one_constant_;      // by ValueId: see Step::one_constant
  std::vector<bool> mapped_;            // by ValueId: read by who takes repeated elements and may be recorded
  Pulls pulls_;
  std::unordered_set<const ssa::Inst*> sorted_;
  CodeFunction out_;
  BlockId block_ = 0;
  std::vector<std::int32_t> start_;                     // by block: its first step
  std::vector<std::pair<std::size_t, BlockId>> jumps_;  // steps whose target is a block
};

}  // namespace

Code make_code(const ssa::Module& module, Pool& pool) {
  Code code;
  code.module = &module;
  code.marks.emplace_back();
  for (const ssa::Constant& c : module.constants)
    code.constants.push_back(c.input >= 0 ? Value()
                                          : make_constant(c.word, c.ints, c.floats, pool, module.int_bits));
  const std::vector<ssa::Demand> demand = ssa::analyse_demand(module);
  const std::vector<bool> library = find_library(module);
  for (std::size_t f = 0; f < module.functions.size(); ++f) {
    code.functions.push_back(
        Translator(module, module.functions[f], static_cast<ssa::FunctionId>(f), demand[f], library).run());
    CodeFunction& made = code.functions.back();
    for (const Step& step : made.steps)
      code.most_operands = std::max<std::size_t>(code.most_operands, step.operands);
    if (made.source->lifted.lifted) {
      mark_blocks(made, code.marks);
    }
  }
  return code;
}

}  // namespace nvm::vm
