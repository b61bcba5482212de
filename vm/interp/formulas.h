// Which results may stay formulas (vm/prims/formula.h).
#pragma once

#include <vector>

#include "bytecode/ssa/ssa.h"

namespace nvm::vm {

// By ValueId: true for results of instructions that can leave one, if all that reads them can take one.
[[nodiscard]] std::vector<bool> find_formulas(const ssa::Function& f);

}  // namespace nvm::vm
