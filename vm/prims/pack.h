// PACK.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

void pack(const PrimCall& call);

}  // namespace nvm::vm
