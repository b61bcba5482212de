#include "vm/tier/pipeline.h"

namespace nvm::vm {

soac::Graph graph_of(const soac::Region& region, const RegionEntry& entry) {
  soac::Graph graph = soac::build(region);
  soac::narrow(graph, region.small, entry.guesses);
  return graph;
}

void compile_region(const soac::Region& region, plan::Engine& engine, plan::Fusion fusion,
                    RegionEntry& entry) {
  const soac::Graph graph = graph_of(region, entry);
  soac::check(graph);
  std::string name = std::move(entry.plan.name);
  entry.plan = plan::fuse(graph, fusion, &entry.events);
  entry.plan.name = std::move(name);
  plan::check(entry.plan);
  // FLOAT combined over kept elements inside a longer space may round differently: then timing must not
  // choose.
  for (const plan::RuleEvent& e : entry.events) {
    const bool among_others = e.rule == plan::Rule::kFilterReduce || e.rule == plan::Rule::kFilterScan;
    if (e.fired && among_others && graph.nodes[static_cast<std::size_t>(e.to)].type == Type::kFloat)
      entry.contest.fix();
  }
  entry.code = engine.compile(entry.plan, entry.reason);
  ++entry.compilations;
}

}  // namespace nvm::vm
