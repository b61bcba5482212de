#include "bytecode/ssa/facts.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

std::vector<LengthClasses> length_classes(const Module& module) {
  std::vector<LengthClasses> all;
  const std::vector<FunctionFacts> facts = analyse_sizes(module);
  for (std::size_t f = 0; f < facts.size(); ++f) {
    LengthClasses classes;
    classes.one = facts[f].one;
    for (std::size_t v = 0; v < facts[f].values.size(); ++v) {
      const bool descriptor = module.functions[f].value_types[v] == Type::kSegdes;
      classes.length.push_back(facts[f].values[v].length);
      classes.total.push_back(descriptor ? facts[f].values[v].sum : -1);
    }
    all.push_back(std::move(classes));
  }
  return all;
}

}  // namespace nvm::ssa
