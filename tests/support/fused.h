// A region by hand, fused: its plan, and which rules fired and were refused.
#pragma once

#include <algorithm>
#include <vector>

#include "bytecode/plan/schedule.h"
#include "tests/support/region_builder.h"

namespace nvm::test {

using plan::Fusion;
using plan::Kernel;
using plan::Plan;
using plan::Refusal;
using plan::Rule;
using plan::RuleEvent;
using plan::Sink;
using plan::SinkKind;
using soac::LengthKind;

struct Fused {
  Plan plan;
  std::vector<RuleEvent> events;
  [[nodiscard]] bool fired(Rule r) const {
    return std::any_of(events.begin(), events.end(),
                       [&](const RuleEvent& e) { return e.fired && e.rule == r; });
  }
  [[nodiscard]] bool refused(Refusal r) const {
    return std::any_of(events.begin(), events.end(),
                       [&](const RuleEvent& e) { return !e.fired && e.refusal == r; });
  }
  // Kernels over vectors; scalar work is the host's.
  [[nodiscard]] int launches() const {
    return static_cast<int>(std::count_if(plan.kernels.begin(), plan.kernels.end(), [&](const Kernel& k) {
      return plan.lengths[static_cast<std::size_t>(k.space)] != LengthKind::kOne;
    }));
  }
  [[nodiscard]] int sinks(SinkKind kind) const {
    int n = 0;
    for (const Kernel& k : plan.kernels)
      n += static_cast<int>(
          std::count_if(k.sinks.begin(), k.sinks.end(), [&](const Sink& s) { return s.kind == kind; }));
    return n;
  }
};

inline Fused fuse_all(const RegionBuilder& b, Fusion fusion = Fusion::kGreedy) {
  soac::Graph graph = soac::build(b.region());
  soac::drop_unread(graph);
  soac::check(graph);
  Fused f;
  f.plan = plan::fuse(graph, fusion, &f.events);
  plan::check(f.plan);
  return f;
}

}  // namespace nvm::test
