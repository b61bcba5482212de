// Vectors of lanes that a loop computes side by side. A long chain of operations waits for its own results;
// the processor sees few iterations ahead, so others that could be computed meanwhile are put beside it.
#pragma once

#include <cstddef>
#include <vector>

#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stage_frame.h"

namespace nvm::vm::cpu {

// How many of them the loop of `spec` takes at once; 1 if nothing is gained, or their order matters.
[[nodiscard]] std::size_t vectors_side_by_side(const StageSpec& spec, const std::vector<bool>& needed,
                                               Isa isa);
// To a label where a number that is the same for all iterations is not of 32 bits.
void jump_unless_words(x86::Compiler& cc, StageFrame& frame, const StageSpec& spec,
                       const std::vector<bool>& needed, const asmjit::Label& to);

}  // namespace nvm::vm::cpu
