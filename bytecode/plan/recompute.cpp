#include "bytecode/plan/recompute.h"

#include <algorithm>
#include <set>

#include "bytecode/table/op_info.h"

namespace nvm::plan {

using soac::Combinator;
using soac::Graph;
using soac::Node;
using soac::Pull;

namespace {

class Finder {
 public:
  Finder(const Graph& graph, std::vector<bool>& stored) : graph_(graph), stored_(stored) {}

  void run() {
    find_stages();
    find_readers();
    std::vector<double> cost(graph_.nodes.size(), 0.0);  // of one element, with what is composed into it
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!composes(n)) continue;
      cost[n] = own_cost(n);
      for_each_composed(n, [&](std::size_t p) { cost[n] += cost[p]; });
      const double again = static_cast<double>(readers_[n].size()) - 1.0;
      const auto bytes = static_cast<double>(
          storage_bytes(graph_.vars[static_cast<std::size_t>(graph_.nodes[n].out)].storage));
      if (again > 0.0 && cost[n] * again > bytes * (1.0 + again)) {
        stored_[n] = true;
        cost[n] = 0.0;
      }
    }
  }

 private:
  // Is it computed wherever it is read?
  [[nodiscard]] bool composes(std::size_t n) const {
    return graph_.nodes[n].kind == Combinator::kMap && !stored_[n];
  }
  [[nodiscard]] std::int32_t producer(soac::VarId x) const {
    return x == soac::kNone ? -1 : graph_.producer[static_cast<std::size_t>(x)];
  }

  template <typename F>
  void for_each_composed(std::size_t n, F f) const {
    for (const soac::BodyInst& in : graph_.nodes[n].body.insts) {
      if (in.pull != Pull::kElement && in.pull != Pull::kGather) continue;
      const std::int32_t p = producer(in.var);
      if (p >= 0 && composes(static_cast<std::size_t>(p))) f(static_cast<std::size_t>(p));
    }
  }

  // A node's stage: how many kernels must run before one that computes it, at least.
  void find_stages() {
    stages_.assign(graph_.nodes.size(), 0);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      const auto behind = [&](soac::VarId x, int kernels) {
        if (const std::int32_t p = producer(x); p >= 0)
          stages_[n] = std::max(stages_[n], stages_[static_cast<std::size_t>(p)] + kernels);
      };
      behind(node.init, 1);
      behind(node.desc, 0);
      for (const soac::BodyInst& in : node.body.insts) {
        behind(in.var, waits(in) ? 1 : 0);
        behind(in.desc, 0);
        behind(in.desc2, 0);
      }
    }
  }
  // Is what it reads complete only when the kernel that makes it has ended?
  [[nodiscard]] bool waits(const soac::BodyInst& in) const {
    const std::int32_t p = producer(in.var);
    if (p < 0) return false;
    const Node& from = graph_.nodes[static_cast<std::size_t>(p)];
    if (in.pull == Pull::kUniform) return from.kind != Combinator::kOnce;
    return in.pull != Pull::kElement && !composes(static_cast<std::size_t>(p));
  }

  // The stages at which a node's elements are computed.
  void find_readers() {
    readers_.resize(graph_.nodes.size());
    for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
      if (!composes(n)) readers_[n].insert(stages_[n]);
      for_each_composed(n,
                        [&](std::size_t p) { readers_[p].insert(readers_[n].begin(), readers_[n].end()); });
    }
  }

  [[nodiscard]] double own_cost(std::size_t n) const {
    double cost = 0.0;
    for (const soac::BodyInst& in : graph_.nodes[n].body.insts)
      if (in.pull == Pull::kApply) cost += scalar_info(in.scalar).cost;
    return cost;
  }

  const Graph& graph_;
  std::vector<bool>& stored_;
  std::vector<int> stages_;             // by node
  std::vector<std::set<int>> readers_;  // by node
};

}  // namespace

void store_costly(const Graph& graph, std::vector<bool>& stored) { Finder(graph, stored).run(); }

}  // namespace nvm::plan
