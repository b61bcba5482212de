#include "bytecode/plan/search.h"

#include <algorithm>

#include "bytecode/plan/placer.h"

namespace nvm::plan {

namespace {

constexpr std::size_t kMostChoices = 3;  // of storing a MAP or not

// Depth-first search over all legal placements in node order, cut where the cost so far and what the rest
// costs anywhere reach the best known. Costs only grow along a branch, and kernels get their order at the
// end, so the best that remains is the cheapest of all (branch and bound). The number of steps is bounded;
// past it the best found so far stands.
class BranchAndBound {
 public:
  explicit BranchAndBound(Schedule start) : best_(std::move(start)) {}

  void run(Placer placer, std::size_t at) {
    if (steps_ >= kMaxSteps || placer.cost() + placer.rest(at) >= best_.cost) return;
    if (at == placer.anchors().size()) {
      best_ = placer.schedule();
      best_.found_by = Search::kBranchAndBound;
      return;
    }
    const std::int32_t n = placer.anchors()[at];
    for (std::int32_t k = 0; k <= placer.kernels(); ++k) {
      ++steps_;
      const auto price = placer.price(n, k);
      if (!price) continue;
      Placer next = placer;
      next.place(n, k, *price);
      run(std::move(next), at + 1);
    }
  }
  [[nodiscard]] bool complete() const { return steps_ < kMaxSteps; }
  Schedule take() { return std::move(best_); }

 private:
  static constexpr int kMaxSteps = 200;
  Schedule best_;
  int steps_ = 0;
};

// Those that are not checks.
std::int64_t makers(const soac::Graph& graph, const Placer& placer) {
  return std::count_if(placer.anchors().begin(), placer.anchors().end(), [&](std::int32_t n) {
    return graph.nodes[static_cast<std::size_t>(n)].kind != soac::Combinator::kCheck;
  });
}

}  // namespace

std::optional<Storings> storings_of(const soac::Graph& graph) {
  const std::vector<std::int32_t> choices = storable(graph);
  if (choices.size() > kMostChoices) return std::nullopt;
  Storings sets(std::size_t{1} << choices.size());
  for (std::size_t set = 0; set < sets.size(); ++set)
    for (std::size_t i = 0; i < choices.size(); ++i)
      if ((set >> i & 1) != 0) sets[set].push_back(choices[i]);
  return sets;
}

void branch_and_bound(const soac::Graph& graph, const Storings& storings, Schedule& best) {
  BranchAndBound search(std::move(best));
  bool small = true;
  for (const std::vector<std::int32_t>& stored : storings) {
    const Placer placer(graph, Placer::Inline::kMaps, stored);
    if (makers(graph, placer) > kExactNodes)
      small = false;
    else
      search.run(placer, 0);
  }
  best = search.take();
  if (!small)
    best.unproved = "too many nodes";
  else if (!search.complete())
    best.unproved = "the search takes too many steps";
  else
    best.proved_by = Search::kBranchAndBound;
}

}  // namespace nvm::plan
