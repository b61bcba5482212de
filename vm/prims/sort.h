// RANK whose places only a PERMUTE of the same elements reads: sorting, which needs no places. Elements of
// the same key are the same, so no order among them is to be kept; results are those of the two primitives,
// bit for bit, and so are faults.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

// RANK_UP or RANK_DOWN: leaves a view in place of the ranks.
void rank_later(const PrimCall& call);
// PERMUTE of a vector by the ranks of its elements, in the same segments; they may be such a view.
void permute_ranked(const PrimCall& call);

}  // namespace nvm::vm
