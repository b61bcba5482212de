// LENGTH, MAKE_SEGDES, LENGTHS, and RAND.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

void length(const PrimCall& call);
void make_segdes(const PrimCall& call);
void lengths(const PrimCall& call);
void rand(const PrimCall& call);

}  // namespace nvm::vm
