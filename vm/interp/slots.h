// Frame slots for the values of a function: a linear scan over its blocks, which stand in topological order,
// so that a value is live at most from its definition to the last of its uses in that order.
#pragma once

#include <cstdint>
#include <vector>

#include "bytecode/ssa/ssa.h"

namespace nvm::vm {

inline constexpr std::int32_t kNoSlot = -1;

struct Slots {
  std::vector<std::int32_t> slot;  // by ValueId; kNoSlot for constants and for values without uses
  std::int32_t count = 0;
  // By block, by instruction: slots below this one may hold values that live across it.
  std::vector<std::vector<std::int32_t>> occupied;
};
[[nodiscard]] Slots assign_slots(const ssa::Function& function);

}  // namespace nvm::vm
