#include "bytecode/ssa/cfg.h"

namespace nvm::ssa {

std::vector<std::vector<BlockId>> predecessors(const Function& function) {
  std::vector<std::vector<BlockId>> from(function.blocks.size());
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    const Terminator& end = function.blocks[b].end;
    const auto id = static_cast<BlockId>(b);
    if (end.kind == Exit::kJump || end.kind == Exit::kBranch)
      from[static_cast<std::size_t>(end.target)].push_back(id);
    if (end.kind == Exit::kBranch) from[static_cast<std::size_t>(end.otherwise)].push_back(id);
  }
  return from;
}

std::vector<BlockId> immediate_dominators(const Function& function) {
  const auto from = predecessors(function);
  std::vector<BlockId> idom(function.blocks.size(), -1);
  for (std::size_t b = 1; b < function.blocks.size(); ++b) {
    BlockId common = -1;
    for (BlockId p : from[b]) {
      if (common < 0) {
        common = p;
        continue;
      }
      while (p != common) {
        if (p > common)
          p = idom[static_cast<std::size_t>(p)];
        else
          common = idom[static_cast<std::size_t>(common)];
      }
    }
    idom[b] = common;
  }
  return idom;
}

bool dominates(const std::vector<BlockId>& idom, BlockId a, BlockId b) {
  while (b > a) b = idom[static_cast<std::size_t>(b)];
  return a == b;
}

bool is_check(const Function& function, const Block& block) {
  return block.end.kind == Exit::kBranch &&
         function.blocks[static_cast<std::size_t>(block.end.target)].end.kind == Exit::kStop;
}

std::vector<Definition> definitions(const Function& function) {
  std::vector<Definition> defs(function.value_types.size());
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    const Block& block = function.blocks[b];
    const auto id = static_cast<BlockId>(b);
    for (std::size_t i = 0; i < block.parameters.size(); ++i)
      defs[static_cast<std::size_t>(block.parameters[i])] = {id, -1, static_cast<std::int32_t>(i)};
    for (std::size_t i = 0; i < block.insts.size(); ++i) {
      const Inst& in = block.insts[i];
      for (std::uint32_t r = 0; r < in.results; ++r)
        defs[static_cast<std::size_t>(in.first_result) + r] = {id, static_cast<std::int32_t>(i),
                                                               static_cast<std::int32_t>(r)};
    }
  }
  return defs;
}

}  // namespace nvm::ssa
