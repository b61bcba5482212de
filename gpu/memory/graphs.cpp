#include "gpu/memory/graphs.h"

namespace nvm::gpu {

std::unique_ptr<ReadyGraph> ReadyGraph::make(const Driver& driver, Context context,
                                             const std::vector<DeviceOp>& ops) {
  std::unique_ptr<ReadyGraph> g(new ReadyGraph(driver, context));
  if (driver.graph_create(&g->graph_, 0) != 0) return nullptr;
  const std::vector<std::size_t> previous = previous_of_lane(ops);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    std::vector<GraphNode> after;
    if (previous[i] != i) after.push_back(g->nodes_[previous[i]]);
    for (const std::size_t a : ops[i].after) after.push_back(g->nodes_[a]);
    if (g->add(ops[i], after) != 0) return nullptr;
  }
  return driver.graph_ready(&g->ready_, g->graph_, 0) == 0 ? std::move(g) : nullptr;
}

ReadyGraph::~ReadyGraph() {
  if (ready_ != nullptr) static_cast<void>(driver_.graph_exec_destroy(ready_));
  if (graph_ != nullptr) static_cast<void>(driver_.graph_destroy(graph_));
}

int ReadyGraph::add(const DeviceOp& op, const std::vector<GraphNode>& after) {
  const NodeParameters p(op);
  GraphNode node = nullptr;
  int code = 0;
  switch (op.kind) {
    case DeviceOp::Kind::kLaunch:
      code = driver_.graph_add_kernel(&node, graph_, after.data(), after.size(), &p.kernel);
      break;
    case DeviceOp::Kind::kFill:
      code = driver_.graph_add_fill(&node, graph_, after.data(), after.size(), &p.fill, context_);
      break;
    case DeviceOp::Kind::kCopy:
      code = driver_.graph_add_copy(&node, graph_, after.data(), after.size(), &p.copy, context_);
      break;
  }
  nodes_.push_back(node);
  words_.push_back(op.words);
  return code;
}

int ReadyGraph::set(std::size_t node, const DeviceOp& op) {
  const NodeParameters p(op);
  switch (op.kind) {
    case DeviceOp::Kind::kLaunch: return driver_.graph_set_kernel(ready_, nodes_[node], &p.kernel);
    case DeviceOp::Kind::kFill: return driver_.graph_set_fill(ready_, nodes_[node], &p.fill, context_);
    case DeviceOp::Kind::kCopy: return driver_.graph_set_copy(ready_, nodes_[node], &p.copy, context_);
  }
  return 0;
}

int ReadyGraph::launch(const std::vector<DeviceOp>& ops, Stream stream) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].words == words_[i]) continue;
    if (const int code = set(i, ops[i]); code != 0) return code;
    words_[i] = ops[i].words;
  }
  return driver_.graph_launch(ready_, stream);
}

std::unique_ptr<ReadyGraph> Graphs::take(const Driver& driver, Context context,
                                         const std::vector<DeviceOp>& ops, const std::string& shape) {
  if (ops.size() < kLeastOps) return nullptr;
  const std::lock_guard lock(mutex_);
  if (!known_.contains(shape) && known_.size() >= kMostShapes) known_.clear();
  Known& known = known_[shape];
  if (++known.seen < kOften || known.refused) return nullptr;
  if (!known.idle.empty()) {
    auto graph = std::move(known.idle.back());
    known.idle.pop_back();
    return graph;
  }
  auto graph = ReadyGraph::make(driver, context, ops);
  known.refused = graph == nullptr;
  return graph;
}

void Graphs::give(const std::string& shape, std::unique_ptr<ReadyGraph> graph) {
  const std::lock_guard lock(mutex_);
  const auto it = known_.find(shape);
  if (it != known_.end()) it->second.idle.push_back(std::move(graph));
}

}  // namespace nvm::gpu
