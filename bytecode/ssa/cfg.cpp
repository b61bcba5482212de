#include "bytecode/ssa/cfg.h"

#include <algorithm>

#include "bytecode/base/budget.h"

namespace nvm::ssa {

std::vector<std::vector<BlockId>> predecessors(const Function& function) {
  std::vector<std::vector<BlockId>> from(function.blocks.size());
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    check_budget();
    const Terminator& end = function.blocks[b].end;
    const auto id = static_cast<BlockId>(b);
    if (end.kind == Exit::kJump || end.kind == Exit::kBranch)
      from[static_cast<std::size_t>(end.target)].push_back(id);
    if (end.kind == Exit::kBranch) from[static_cast<std::size_t>(end.otherwise)].push_back(id);
  }
  return from;
}

namespace {

// Numbers in the order of a walk through the tree; a block's dominators stand before it.
void number_blocks(Dominators& tree) {
  const std::size_t n = tree.idom.size();
  tree.count.assign(n, 1);
  tree.number.assign(n, 0);
  for (std::size_t b = n; b-- > 1;)
    if (tree.idom[b] >= 0) tree.count[static_cast<std::size_t>(tree.idom[b])] += tree.count[b];
  std::vector<std::int32_t> next(n, 0);  // by block: the number of its next child
  std::int32_t roots = 0;                // the entry, and blocks that nothing leads to
  for (std::size_t b = 0; b < n; ++b) {
    std::int32_t& place = tree.idom[b] >= 0 ? next[static_cast<std::size_t>(tree.idom[b])] : roots;
    tree.number[b] = place;
    place += tree.count[b];
    next[b] = tree.number[b] + 1;
  }
}

}  // namespace

Dominators immediate_dominators(const Function& function) {
  const auto from = predecessors(function);
  Dominators tree;
  std::vector<BlockId>& idom = tree.idom;
  idom.assign(function.blocks.size(), -1);
  for (std::size_t b = 1; b < function.blocks.size(); ++b) {
    check_budget();
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
  number_blocks(tree);
  return tree;
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

bool measures(const Function& function) {
  return std::any_of(function.blocks.begin(), function.blocks.end(), [](const Block& block) {
    return std::any_of(block.insts.begin(), block.insts.end(), is_clock);
  });
}

}  // namespace nvm::ssa
