// PACK.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

void pack(const PrimCall& call);
// Without the new descriptor.
void pack_elements(const PrimCall& call);

}  // namespace nvm::vm
