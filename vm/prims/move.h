// The permute family, and one element per segment: EXTRACT, REPLACE.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

void permute(const PrimCall& call);
void dpermute(const PrimCall& call);
void fpermute(const PrimCall& call);
void dfpermute(const PrimCall& call);
void bpermute(const PrimCall& call);
void bfpermute(const PrimCall& call);
void extract(const PrimCall& call);
void replace(const PrimCall& call);

}  // namespace nvm::vm
