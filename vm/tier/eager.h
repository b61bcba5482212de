// A region executed by the primitives, instruction by instruction.
#pragma once

#include <span>

#include "vm/prims/prims.h"
#include "vm/trace/recorder.h"

namespace nvm::vm {

// Computes the live variables of the region into `outputs` (by VarId). Throws Fault, FailedCheck; `failed` is
// then the site.
void run_eager(const PrimContext& context, RecordedRegion& region, std::span<Value> outputs,
               RecordedSite& failed);

}  // namespace nvm::vm
