#include "bytecode/plan/cost.h"

#include <set>
#include <utility>

namespace nvm::plan {

using soac::Pull;

double expected_length(const soac::Graph& graph, LengthId length) {
  switch (graph.lengths.at(static_cast<std::size_t>(length))) {
    case LengthKind::kOne: return 0.0;
    case LengthKind::kBound: return kTypicalLength;
    case LengthKind::kCounted: return kTypicalLength * kKeptShare;
  }
  return 0.0;
}

double vector_bytes(const soac::Graph& graph, VarId x) {
  const Var& v = graph.vars.at(static_cast<std::size_t>(x));
  return expected_length(graph, v.length) * static_cast<double>(storage_bytes(v.storage));
}

double body_bytes(const soac::Graph& graph, const Body& body, LengthId space) {
  std::set<std::pair<VarId, bool>> streamed;
  double bytes = 0.0;
  for (const soac::BodyInst& in : body.insts) {
    if (in.var == kNone || in.pull == Pull::kUniform) continue;
    const bool gathers = in.pull == Pull::kGather || in.pull == Pull::kSegGather;
    if (gathers) {
      const auto element =
          static_cast<double>(storage_bytes(graph.vars.at(static_cast<std::size_t>(in.var)).storage));
      bytes += expected_length(graph, space) * element * kGatherFactor;
    } else if (streamed.insert({in.var, in.pull == Pull::kElement}).second) {
      bytes += vector_bytes(graph, in.var);
    }
  }
  return bytes;
}

double launch_cost(const soac::Graph& graph, LengthId space) {
  return graph.lengths.at(static_cast<std::size_t>(space)) == LengthKind::kOne ? 0.0 : kLaunchBytes;
}

}  // namespace nvm::plan
