#include "vm/tier/pipeline.h"

namespace nvm::vm {

soac::Graph graph_of(const soac::Region& region, const RegionEntry& entry) {
  soac::Graph graph = soac::build(region);
  soac::drop_unread(graph);
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
  entry.reason = engine.prefers_primitives(entry.plan);
  entry.code = entry.reason.empty() ? engine.compile(entry.plan, entry.reason) : nullptr;
  ++entry.compilations;
}

}  // namespace nvm::vm
