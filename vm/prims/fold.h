// Reductions and scans of all types.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

void reduce(const PrimCall& call);
void scan(const PrimCall& call);

}  // namespace nvm::vm
