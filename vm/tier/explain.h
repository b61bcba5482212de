// What the compiling tier did, in words: regions, graphs, rules that fired or were refused and why, both
// schedule costs, plans, machine code. One letter, one stage.
#pragma once

#include <string>

#include "vm/tier/jit.h"

namespace nvm::vm {

// One region. `letters` chooses what is shown: t recorded instructions, g the graph, d the same for Graphviz
// before and after fusion, r rules that fired or were refused, c the cost of each way of scheduling, p the
// plan, f what its parts need and hand on, x machine code. Deterministic but for machine code.
[[nodiscard]] std::string explain(const RegionEntry& entry, const ssa::Module& module,
                                  std::string_view letters);
// Totals, why regions ended, and one line per region.
[[nodiscard]] std::string summary(const Jit& jit, const ssa::Module& module);
}  // namespace nvm::vm
