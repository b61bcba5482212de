// Runs an engine on the bindings of the reference evaluator, in memory with guards behind every vector.
#pragma once

#include <map>
#include <string>

#include "bytecode/plan/engine.h"
#include "tests/support/plan_reference.h"

namespace nvm::testing {

struct PlanRun {
  plan::RunStatus status = plan::RunStatus::kDone;
  Bindings results;                     // outputs, and lengths
  std::map<plan::KernelWay, int> ways;  // of its kernels
  [[nodiscard]] int kernels(plan::KernelWay way) const { return ways.contains(way) ? ways.at(way) : 0; }
  std::string trouble;  // a guard overwritten, a vector not released, ...; empty if all is well
};

[[nodiscard]] PlanRun run_plan(const plan::Code& code, const plan::Plan& plan, const Bindings& inputs,
                               int threads);

// Empty if `got` has the outputs of `wanted`; else where they differ. FLOAT must agree to the last bit (NaN
// with NaN), or to `tolerance` relative if that is positive.
[[nodiscard]] std::string differences(const plan::Plan& plan, const Bindings& wanted, const Bindings& got,
                                      double tolerance = 0.0);

}  // namespace nvm::testing
