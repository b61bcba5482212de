#include <string>

#include "bytecode/base/check.h"
#include "bytecode/soac/graph.h"

namespace nvm::soac {

namespace {

void require(bool holds, const char* rule, const Graph& graph) {
  NVM_CHECK(holds, std::string(rule) + "\n" + print(graph));
}

// A node reads inputs and what earlier nodes made.
void check_reads(const Graph& graph, std::size_t i) {
  const Node& n = graph.nodes[i];
  for (std::size_t j = 0; j < n.body.insts.size(); ++j) {
    const BodyInst& in = n.body.insts[j];
    for (const VarId x : {in.var, in.desc, in.desc2})
      if (x != kNone)
        require(graph.producer.at(static_cast<std::size_t>(x)) < static_cast<std::int32_t>(i),
                "producers stand before consumers", graph);
    for (const std::int32_t arg : {in.a, in.b, in.c})
      require(arg < static_cast<std::int32_t>(j), "a body uses earlier values", graph);
    require(in.pull != Pull::kScanned && in.pull != Pull::kCheck, "plans only have these pulls", graph);
    if (in.pull == Pull::kElement)
      require(graph.vars[static_cast<std::size_t>(in.var)].length == n.space,
              "an element pull fits the space", graph);
  }
}

void check_kind(const Graph& graph, const Node& n) {
  const bool segmented = n.kind == Combinator::kSegReduce || n.kind == Combinator::kSegScan ||
                         n.kind == Combinator::kSegFilter || n.kind == Combinator::kSegPermute ||
                         n.kind == Combinator::kSegPartition || n.kind == Combinator::kSegRank;
  const bool describes = n.kind == Combinator::kSegdes;
  const bool folds = n.combine != Scalar::kNoScalar;
  require(segmented == (n.desc != kNone), "segmented nodes have a descriptor, others none", graph);
  require((filters(n) || describes) == (n.out_length != kNone), "filters count, others do not", graph);
  require(!partitions(n) || (n.flag != kNone && n.init != kNone), "a partition has flags and a base", graph);
  require(permutes(n) == (n.index != kNone), "permutes have an index, others none", graph);
  if (n.kind == Combinator::kSegPermute) {
    const BodyInst& place = n.body.insts.at(static_cast<std::size_t>(n.index));
    require(place.pull == Pull::kSegPlace && place.desc == n.desc, "its places are in segments", graph);
  }
  require((n.kind == Combinator::kCheck || describes) == (n.out == kNone), "most nodes make a vector", graph);
  require(!describes || n.out_desc != kNone, "lengths make a descriptor", graph);
  require(!n.down || ranks(n), "only ranks go down", graph);
  require(!folds || scalar_info(n.combine).folds, "only associative operations combine", graph);
  require(n.value >= 0 && n.value < static_cast<std::int32_t>(n.body.insts.size()), "a node has a value",
          graph);
  if (!by_primitive(n)) return;
  const Pull pulled = n.body.insts[static_cast<std::size_t>(n.value)].pull;
  require(pulled == Pull::kElement || pulled == Pull::kUniform, "a primitive takes a vector", graph);
}

}  // namespace

void check(const Graph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    check_reads(graph, i);
    check_kind(graph, graph.nodes[i]);
  }
}

}  // namespace nvm::soac
