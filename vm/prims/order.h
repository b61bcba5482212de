// RANK_UP and RANK_DOWN.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

void rank(const PrimCall& call);

}  // namespace nvm::vm
