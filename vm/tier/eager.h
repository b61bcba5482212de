// A region executed by the primitives, instruction by instruction.
#pragma once

#include <functional>
#include <span>

#include "vm/prims/prims.h"
#include "vm/trace/recorder.h"

namespace nvm::vm {

// Computes the live variables of the region into `outputs` (by VarId). Throws Fault, FailedCheck; `failed` is
// then the site.
void run_eager(const PrimContext& context, RecordedRegion& region, std::span<Value> outputs,
               RecordedSite& failed);
// The same, given up where a descriptor of computed lengths is made and `enough` says so, which finds the
// region's lengths as far as they are known. Then the region is as it was, and the answer false.
[[nodiscard]] bool run_eager_until(const PrimContext& context, RecordedRegion& region,
                                   std::span<Value> outputs, RecordedSite& failed,
                                   const std::function<bool()>& enough);

}  // namespace nvm::vm
