// Facts about a function's graph of blocks that several passes need.
#pragma once

#include <vector>

#include "bytecode/ssa/ssa.h"

namespace nvm::ssa {

// Blocks that jump or branch to each block, in order.
[[nodiscard]] std::vector<std::vector<BlockId>> predecessors(const Function& function);

// Immediate dominator by block; -1 for the entry. Cost: linear but for degenerate graphs, since one pass in
// topological order suffices.
[[nodiscard]] std::vector<BlockId> immediate_dominators(const Function& function);

// Does block `a` dominate block `b` (or equal it)?
[[nodiscard]] bool dominates(const std::vector<BlockId>& idom, BlockId a, BlockId b);

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

}  // namespace nvm::ssa
