// Tail-parallel recursion, found in SSA: the elements that a lifted function's recursive call returns are
// only moved into its result, and nothing is asked about them. Then where they go follows from their lengths
// alone, so that, if those are known when the call is made, nothing is left to be done when it returns.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bytecode/ssa/ssa.h"

namespace nvm::ssa {

struct Levels {
  std::size_t sizes = 0;    // the parameter, one segment for each instance, that some path returns as it is
  std::size_t lengths = 0;  // the result, a descriptor, that it is returned as; all others are vectors
  // By ValueId: made by a DPERMUTE or BPERMUTE, and read only by others of these, as elements or defaults,
  // and as a result.
  std::vector<bool> moved;
};

// Of function `id` of a module whose lifted functions are known. What the text claims (LiftedInfo::
// tail_parallel) is not asked. Nothing if the function has no recursive call or several, or does something
// else with what it returns. Cost: code size times the moves one after the other.
[[nodiscard]] std::optional<Levels> find_levels(const Module& module, FunctionId id);

}  // namespace nvm::ssa
