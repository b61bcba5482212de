// Reductions and scans of all types.
#pragma once

#include "vm/prims/kernels/kernels.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// The loops that fold elements stored so.
[[nodiscard]] const kernels::Fold& fold_kernels(const PrimContext& context, Scalar scalar, Storage storage);

void reduce(const PrimCall& call);
void scan(const PrimCall& call);

}  // namespace nvm::vm
