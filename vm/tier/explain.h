// What the compiling tier did, in words: regions, graphs, rules that fired or were refused and why, both
// schedule costs, plans, machine code. One letter, one stage.
#pragma once

#include <span>
#include <string>

#include "vm/tier/jit.h"

namespace nvm::vm {

struct Stage {
  char letter;
  const char* meaning;
};
// The letters that explain() understands, in the order in which they are printed.
[[nodiscard]] std::span<const Stage> explain_stages();

// One region; `letters` chooses the stages. Deterministic but for machine code.
[[nodiscard]] std::string explain(const RegionEntry& entry, const ssa::Module& module,
                                  std::string_view letters);
// Totals, why regions ended, and one line per region.
[[nodiscard]] std::string summary(const Jit& jit, const ssa::Module& module);
// Graphviz of one region's graph, clustered by kernels.
[[nodiscard]] std::string explain_dot(const RegionEntry& entry, plan::Fusion fusion);

}  // namespace nvm::vm
