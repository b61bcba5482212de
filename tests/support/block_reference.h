// What a BlockPlan means: its blocks evaluated one after the other by the plans' reference evaluator, frames
// on a stack. Against this engines are held, and this against the interpreter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bytecode/plan/block_plan.h"
#include "tests/support/plan_reference.h"

namespace nvm::testing {

// A vector's elements, or the lengths of a descriptor's segments.
struct BlockValue {
  std::vector<Element> elements;
  std::vector<std::int64_t> lengths;
};

struct BlockRun {
  std::optional<std::vector<BlockValue>> results;  // nothing: the group is given up
  std::string why;                                 // and for what, for reports
  std::size_t blocks = 0;                          // that were entered
  bool within_bounds = true;                       // no block made more than its MemoryBound
};

[[nodiscard]] BlockRun evaluate(const plan::BlockPlan& plan, std::vector<BlockValue> arguments,
                                std::size_t most_frames);

}  // namespace nvm::testing
