// Which parts of segments, and what is computed from them, need not be written (vm/prims/part_maps.h).
#pragma once

#include <vector>

#include "bytecode/ssa/ssa.h"

namespace nvm::vm {

// By ValueId: results of BPERMUTE by ascending places, and of elementwise instructions on such, that only
// elementwise instructions and moves by ascending places read, which come soon. `formula`: of find_formulas.
[[nodiscard]] std::vector<bool> find_parts(const ssa::Function& f, const std::vector<bool>& formula);

}  // namespace nvm::vm
