// Permutations that part a vector in two: places below a bound in ascending order, places from it on in
// ascending order, interleaved at will. Legacy code parts vectors by flags this way, many by one index
// vector.
#pragma once

#include "vm/prims/operands.h"

namespace nvm::vm {

// Moves `v` to `out`, which has as many elements of the same storage, and returns true if its indices are
// such a permutation. Else false, and elements of `out` are unspecified. Costs a few comparisons where the
// first indices show it, at most one pass.
[[nodiscard]] bool move_by_split(const PrimContext& context, const Indices& idx, const Elements& v,
                                 const Fresh& out);

}  // namespace nvm::vm
