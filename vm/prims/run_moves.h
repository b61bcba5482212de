// Gathers and scatters by indices that INDEX with stride one would make. Taking parts of segments and joining
// them are of this kind; they copy pieces and need no indices.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

// BPERMUTE or DPERMUTE with these operands, their second one replaced by the first index of every
// segment. False, with operands as they were, if an index would be outside its segment or lengths do not
// agree: then the instruction itself has to say so. The descriptor of the indices is that along which the
// instruction reads them.
[[nodiscard]] bool move_by_starts(const PrimContext& context, Op op, std::span<Value> operands,
                                  const Vector& starts, std::span<Value> results);

}  // namespace nvm::vm
