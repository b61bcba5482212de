// A worker's memory: scratch arrays, the sinks' states, cursors, what machine code receives, and room aside
// for what the last vector of a block writes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

inline constexpr std::int64_t kTailBytes = 64;
inline constexpr std::size_t kLanesBytes = sizeof(ReduceState::lanes);
inline constexpr std::int64_t kLeastStriped = 1024;  // elements of a chunk

inline std::size_t round64(std::size_t n) { return (n + 63) / 64 * 64; }

inline std::size_t args_bytes(const Stage& stage) {
  std::size_t slots = stage.slots.size();
  for (const Stage* second : {stage.straight.get(), stage.striped.get()})
    if (second != nullptr) slots = std::max(slots, second->slots.size());
  return sizeof(StageArgs) + 8 * slots;
}

}  // namespace nvm::vm::cpu
