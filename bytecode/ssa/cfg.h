// Facts about a function's graph of blocks that several passes need.
#pragma once

#include <vector>

#include "bytecode/ssa/ssa.h"

namespace nvm::ssa {

// Calls visit(inst) for every instruction, in order.
template <typename Visit>
void each_inst(const Function& function, Visit&& visit) {
  for (const Block& block : function.blocks)
    for (const Inst& inst : block.insts) visit(inst);
}

// Calls visit(v, inst, i) for every value that is read: as operand i of an instruction, or, with a null one,
// as argument i or the condition at the end of a block.
template <typename Visit>
void each_read(const Function& function, Visit&& visit) {
  constexpr const Inst* kEnd = nullptr;
  for (const Block& block : function.blocks) {
    for (const Inst& inst : block.insts)
      for (std::uint32_t i = 0; i < inst.operands; ++i) visit(function.operands_of(inst)[i], &inst, i);
    for (std::uint32_t i = 0; i < block.end.arguments.size(); ++i) visit(block.end.arguments[i], kEnd, i);
    if (block.end.kind == Exit::kBranch) visit(block.end.condition, kEnd, std::uint32_t{0});
  }
}

// Blocks that jump or branch to each block, in order.
[[nodiscard]] std::vector<std::vector<BlockId>> predecessors(const Function& function);

// The tree of dominators of a function's blocks.
struct Dominators {
  std::vector<BlockId> idom;         // immediate dominator by block; -1 for the entry
  std::vector<std::int32_t> number;  // by block, so that those a block dominates follow it at once
  std::vector<std::int32_t> count;   // of them, with itself
  BlockId operator[](std::size_t block) const { return idom[block]; }
};
// Cost: linear but for degenerate graphs, since one pass in topological order suffices.
[[nodiscard]] Dominators immediate_dominators(const Function& function);

// Does block `a` dominate block `b` (or equal it)? Constant time.
[[nodiscard]] inline bool dominates(const Dominators& tree, BlockId a, BlockId b) {
  const auto from = static_cast<std::size_t>(a);
  const std::int32_t behind = tree.number[static_cast<std::size_t>(b)] - tree.number[from];
  return behind >= 0 && behind < tree.count[from];
}

// A check conditional: a branch whose taken way is one block that stops, so that whoever goes on has come the
// other way. It has the shape
//
//   <condition> IF <write the message> EXIT [ELSE <pops>] ENDIF
//
// The front end emits every run-time check so. The condition is true if something is wrong; it is a
// comparison of single numbers, or OR_REDUCE BOOL over a descriptor of one segment where many instances are
// checked at once. The stopping block writes and stops, and reads nothing that the way on would not have had
// too. Who cannot see the value of the condition yet may go on as if it were false, as long as it stops
// there, with the effects of that block and none of what stands behind it, should it turn out to be true.
[[nodiscard]] bool is_check(const Function& function, const Block& block);

// Where values are born, by ValueId.
struct Definition {
  BlockId block = -1;
  std::int32_t inst = -1;   // index in the block, -1 for a block parameter
  std::int32_t number = 0;  // which result or parameter
};
[[nodiscard]] std::vector<Definition> definitions(const Function& function);

// The instruction that makes `v`, or null if it is a block parameter.
[[nodiscard]] inline const Inst* maker(const Function& f, const std::vector<Definition>& defs, ValueId v) {
  const Definition& d = defs[static_cast<std::size_t>(v)];
  if (d.inst < 0) return nullptr;
  return &f.blocks[static_cast<std::size_t>(d.block)].insts[static_cast<std::size_t>(d.inst)];
}

// Is it the clock? What it measures is computed between its two instructions: nothing that was computed
// before is taken for something behind.
[[nodiscard]] inline bool is_clock(const Inst& in) {
  return in.op == Op::kStartTimer || in.op == Op::kStopTimer;
}
// Does the clock run in the function? Then it stays by itself, and relies on nothing that its callers know.
[[nodiscard]] bool measures(const Function& function);

}  // namespace nvm::ssa
