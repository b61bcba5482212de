// Vectors of lanes that a loop computes side by side. A long chain of operations waits for its own results;
// the processor sees few iterations ahead, so others that could be computed meanwhile are put beside it.
#pragma once

#include <cstddef>
#include <vector>

#include "vm/cpu/codegen/stage.h"

namespace nvm::vm::cpu {

// How many of them the loop of `spec` takes at once; 1 if nothing is gained, or their order matters.
[[nodiscard]] std::size_t vectors_side_by_side(const StageSpec& spec, const std::vector<bool>& needed,
                                               Isa isa);

}  // namespace nvm::vm::cpu
