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
  Finder(const Graph& graph, std::vector<bool>& stored) : graph_(graph), stored_(stored), needed_(stored) {}

  void run() {
    store();
    drop();
  }

 private:
  void store() {
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

  // What was stored for readers that read something stored behind it by now: where all that is left compute
  // in one kernel, element by element, each element would be computed once all the same.
  void drop() {
    find_stages();
    const std::vector<bool> by_element = read_by_element();
    readers_.assign(graph_.nodes.size(), {});
    for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
      if (stored_[n] && !needed_[n] && by_element[n] && readers_[n].size() <= 1) stored_[n] = false;
      if (!composes(n)) readers_[n] = {stages_[n]};
      for_each_map(n, [&](std::size_t p) { readers_[p].insert(readers_[n].begin(), readers_[n].end()); });
    }
  }

  // By node: no other reads it.
  [[nodiscard]] std::vector<bool> read_by_element() const {
    std::vector<bool> found(graph_.nodes.size(), true);
    const auto other = [&](soac::VarId x) {
      if (const std::int32_t p = producer(x); p >= 0) found[static_cast<std::size_t>(p)] = false;
    };
    for (const Node& node : graph_.nodes) {
      other(node.init);
      for (const soac::BodyInst& in : node.body.insts)
        if (in.pull != Pull::kElement) other(in.var);
    }
    return found;
  }

  // Is it computed wherever it is read?
  [[nodiscard]] bool composes(std::size_t n) const {
    return graph_.nodes[n].kind == Combinator::kMap && !stored_[n];
  }
  [[nodiscard]] std::int32_t producer(soac::VarId x) const {
    return x == soac::kNone ? -1 : graph_.producer[static_cast<std::size_t>(x)];
  }

  template <typename F>
  void for_each_map(std::size_t n, F f) const {
    for (const soac::BodyInst& in : graph_.nodes[n].body.insts) {
      if (in.pull != Pull::kElement && in.pull != Pull::kGather) continue;
      const std::int32_t p = producer(in.var);
      if (p >= 0 && graph_.nodes[static_cast<std::size_t>(p)].kind == Combinator::kMap)
        f(static_cast<std::size_t>(p));
    }
  }
  template <typename F>
  void for_each_composed(std::size_t n, F f) const {
    for_each_map(n, [&](std::size_t p) {
      if (composes(p)) f(p);
    });
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
  const std::vector<bool> needed_;      // stored whatever it costs
  std::vector<int> stages_;             // by node
  std::vector<std::set<int>> readers_;  // by node
};

}  // namespace

void store_costly(const Graph& graph, std::vector<bool>& stored) { Finder(graph, stored).run(); }

}  // namespace nvm::plan
