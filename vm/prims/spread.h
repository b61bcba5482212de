// DIST and INDEX: a value or a run for each segment.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

void dist(const PrimCall& call);
void index(const PrimCall& call);

}  // namespace nvm::vm
