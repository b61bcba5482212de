// Combining scatters (design in combine.cpp).
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

void combine(const PrimCall& call);

}  // namespace nvm::vm
