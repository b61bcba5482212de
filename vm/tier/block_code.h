// A BlockPlan made ready to run: the machine code of its blocks, and when their values die.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bytecode/plan/block_plan.h"
#include "bytecode/plan/engine.h"

namespace nvm::vm {

struct BlockCode {
  explicit BlockCode(const plan::PlanBlock& of) : block(&of), bound(of.plan) {}

  const plan::PlanBlock* block;
  plan::MemoryBound bound;
  std::shared_ptr<const plan::Code> code;  // null: there is nothing to compute
  // Values that nobody reads behind this block, on the way to its target; of branches also on the other.
  std::vector<plan::ValueId> dead, dead_otherwise;
  std::vector<bool> result_read;  // kCall: does anybody read result r?
  bool tail = false;              // kCall: its results are those of the caller, whose frame it takes over
};

struct ProcedureCode {
  const plan::Procedure* procedure = nullptr;
  std::vector<BlockCode> blocks;
};

// Immutable; shared by all threads that run it.
struct FunctionCode {
  plan::BlockPlan plan;
  std::vector<ProcedureCode> procedures;
  std::vector<std::int32_t> constants;          // that are read
  std::size_t most_vars = 0, most_lengths = 0;  // of any block
};

// Code by the text of its plan: blocks that do the same have the same.
using CodeByPlan = std::map<std::string, std::shared_ptr<const plan::Code>>;

// Null if a block cannot be compiled; `reason` then says why in words.
[[nodiscard]] std::unique_ptr<const FunctionCode> compile_blocks(plan::BlockPlan plan, plan::Engine& engine,
                                                                 CodeByPlan& known, std::string& reason);

}  // namespace nvm::vm
