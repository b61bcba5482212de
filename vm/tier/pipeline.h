// From a recorded region to machine code, on one page.
#pragma once

#include "vm/tier/jit.h"

namespace nvm::vm {

// The graph of a region, with the storages that the entry's plan has.
[[nodiscard]] soac::Graph graph_of(const soac::Region& region, const RegionEntry& entry);

// `entry.plan.name` names the code. build -> narrow -> check -> schedule -> plan -> check -> compile. Fills
// in plan, events and code, or the reason.
void compile_region(const soac::Region& region, plan::Engine& engine, plan::Fusion fusion,
                    RegionEntry& entry);

}  // namespace nvm::vm
