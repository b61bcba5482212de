// Which variables of a plan a kernel reads or makes, and when temps die.
#pragma once

#include <vector>

#include "bytecode/plan/plan.h"

namespace nvm::plan {

// f(v), perhaps more than once.
template <typename F>
void for_each_var(const Kernel& kernel, F f) {
  const auto mention = [&](VarId v) {
    if (v != kNone) f(v);
  };
  for (const soac::BodyInst& in : kernel.body.insts)
    for (const VarId v : {in.var, in.desc, in.desc2}) mention(v);
  for (const Sink& s : kernel.sinks)
    for (const VarId v : {s.out, s.desc, s.out_desc, s.init}) mention(v);
}

// By kernel: the temps that no later one mentions.
[[nodiscard]] inline std::vector<std::vector<VarId>> dead_after(const Plan& plan) {
  std::vector<std::vector<VarId>> dead(plan.kernels.size());
  std::vector<std::size_t> last(plan.vars.size(), plan.kernels.size());
  for (std::size_t k = 0; k < plan.kernels.size(); ++k)
    for_each_var(plan.kernels[k], [&](VarId v) { last[static_cast<std::size_t>(v)] = k; });
  for (std::size_t v = 0; v < last.size(); ++v)
    if (last[v] < dead.size() && plan.vars[v].role == VarRole::kTemp)
      dead[last[v]].push_back(static_cast<VarId>(v));
  return dead;
}

}  // namespace nvm::plan
