// From a recorded region to machine code, on one page.
#pragma once

#include "vm/tier/jit.h"

namespace nvm::vm {

// `entry.plan.name` names the code. build -> check -> schedule -> plan -> check -> compile. Fills in plan,
// events and code, or the reason.
void compile_region(const soac::Region& region, plan::Engine& engine, plan::Fusion fusion,
                    RegionEntry& entry);

}  // namespace nvm::vm
