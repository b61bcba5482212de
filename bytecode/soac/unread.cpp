// MAPs that nobody reads: readers of a vector of equal elements take the number instead.
//
// Requires: build()'s nodes. Ensures: what may fail stays, errors are a purpose. Cost: linear.
#include <utility>
#include <vector>

#include "bytecode/soac/graph.h"

namespace nvm::soac {

namespace {

bool may_fail(const Body& body) {
  for (std::size_t i = 0; i < body.insts.size(); ++i)
    if (may_trap(body, i)) return true;
  return false;
}

// By node: what its vector or its errors are wanted for.
std::vector<bool> wanted(const Graph& graph) {
  std::vector<bool> read(graph.vars.size(), false), found(graph.nodes.size(), true);
  const auto mark = [&](VarId x) {
    if (x != kNone) read[static_cast<std::size_t>(x)] = true;
  };
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& n = graph.nodes[i];
    if (n.kind == Combinator::kMap || n.kind == Combinator::kOnce) {
      const auto out = static_cast<std::size_t>(n.out);
      found[i] = read[out] || graph.vars[out].role != VarRole::kTemp || may_fail(n.body);
    }
    if (!found[i]) continue;
    mark(n.init);
    mark(n.desc);
    for (const BodyInst& in : n.body.insts)
      for (const VarId x : {in.var, in.desc, in.desc2}) mark(x);
  }
  return found;
}

}  // namespace

void drop_unread(Graph& graph) {
  const std::vector<bool> keep = wanted(graph);
  std::vector<std::int32_t> number(keep.size(), -1);
  std::int32_t next = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    number[i] = next++;
    if (static_cast<std::size_t>(number[i]) != i)
      graph.nodes[static_cast<std::size_t>(number[i])] = std::move(graph.nodes[i]);
  }
  graph.nodes.resize(static_cast<std::size_t>(next));
  for (std::vector<std::int32_t>* of : {&graph.producer, &graph.counted_by})
    for (std::int32_t& n : *of)
      if (n >= 0) n = number[static_cast<std::size_t>(n)];
}

}  // namespace nvm::soac
