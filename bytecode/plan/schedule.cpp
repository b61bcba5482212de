#include "bytecode/plan/schedule.h"

#include <algorithm>
#include <limits>

#include "bytecode/base/check.h"
#include "bytecode/plan/placer.h"

namespace nvm::plan {

namespace {

struct Choice {
  std::int32_t kernel = kNone;
  double price = std::numeric_limits<double>::infinity();
};

bool is_check(const soac::Graph& graph, std::int32_t n) {
  return graph.nodes[static_cast<std::size_t>(n)].kind == soac::Combinator::kCheck;
}

// The kernel, old or new, into which node n costs least; the earliest of equals.
Choice cheapest(Placer& placer, std::int32_t n) {
  Choice best;
  for (std::int32_t k = 0; k <= placer.kernels(); ++k) {
    const auto price = placer.price(n, k);
    if (price && *price < best.price) best = {k, *price};
  }
  NVM_CHECK(best.kernel != kNone, "a node can always run in a kernel of its own");
  return best;
}

// Depth-first search over all legal placements in node order, cut where the cost so far and what the rest
// costs anywhere reach the best known. Costs only grow along a branch, and kernels get their order at the
// end, so the best that remains is the cheapest of all (branch and bound). The number of steps is bounded;
// past it the best found so far stands, which is never worse than greedy.
class Search {
 public:
  Search(const soac::Graph& graph, Schedule start) : graph_(graph), best_(std::move(start)) {}

  void run(Placer placer, std::size_t at) {
    if (steps_ >= kMaxSteps || placer.cost() + placer.rest(at) >= best_.cost) return;
    if (at == placer.anchors().size()) {
      best_ = placer.schedule();
      return;
    }
    const std::int32_t n = placer.anchors()[at];
    if (is_check(graph_, n)) {  // where it is cheapest: nothing depends on the choice
      const Choice only = cheapest(placer, n);
      Placer next = placer;
      next.place(n, only.kernel, only.price);
      return run(std::move(next), at + 1);
    }
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
  static constexpr int kMaxSteps = 400;
  const soac::Graph& graph_;
  Schedule best_;
  int steps_ = 0;
};

constexpr std::size_t kMostChoices = 3;  // of storing a MAP or not

}  // namespace

const char* rule_name(Rule rule) {
  static constexpr const char* kNames[] = {
#define RULE(id, name, condition) name,
#include "bytecode/soac/rules.def"
  };
  return kNames[static_cast<int>(rule)];
}

const char* refusal_text(Refusal refusal) {
  static constexpr const char* kTexts[] = {
#define REFUSE(id, text) text,
#include "bytecode/soac/refuse.def"
  };
  return kTexts[static_cast<int>(refusal)];
}

Schedule schedule_off(const soac::Graph& graph) {
  Placer placer(graph, Placer::Inline::kNothing);
  for (const std::int32_t n : placer.anchors()) {
    const auto price = placer.price(n, placer.kernels());
    NVM_CHECK(price.has_value(), "a node can always run in a kernel of its own");
    placer.place(n, placer.kernels(), *price);
  }
  return placer.schedule();
}

namespace {

Schedule greedily(const soac::Graph& graph, std::span<const std::int32_t> stored) {
  Placer placer(graph, Placer::Inline::kMaps, stored);
  for (const std::int32_t n : placer.anchors()) {
    const Choice best = cheapest(placer, n);
    placer.place(n, best.kernel, best.price);
  }
  return placer.schedule();
}

}  // namespace

Schedule schedule_greedy(const soac::Graph& graph) {
  Schedule best = greedily(graph, {});
  std::vector<std::int32_t> stored;
  for (const std::int32_t n : storable(graph)) {
    stored.push_back(n);
    Schedule with = greedily(graph, stored);
    if (with.cost < best.cost)
      best = std::move(with);
    else
      stored.pop_back();
  }
  return best;
}

Schedule schedule_exact(const soac::Graph& graph) {
  Schedule greedy = schedule_greedy(graph);
  const std::vector<std::int32_t> choices = storable(graph);
  if (choices.size() > kMostChoices) return greedy;
  Search search(graph, std::move(greedy));
  bool complete = true;
  for (std::size_t set = 0; set < std::size_t{1} << choices.size(); ++set) {
    std::vector<std::int32_t> stored;
    for (std::size_t i = 0; i < choices.size(); ++i)
      if ((set >> i & 1) != 0) stored.push_back(choices[i]);
    const Placer placer(graph, Placer::Inline::kMaps, stored);
    const auto free = std::count_if(placer.anchors().begin(), placer.anchors().end(),
                                    [&](std::int32_t n) { return !is_check(graph, n); });
    if (free > kExactNodes)
      complete = false;
    else
      search.run(placer, 0);
  }
  complete &= search.complete();
  Schedule best = search.take();
  best.proved = complete;
  return best;
}

Plan fuse(const soac::Graph& graph, Fusion fusion, std::vector<RuleEvent>* events) {
  switch (fusion) {
    case Fusion::kOff: return build(graph, schedule_off(graph), events);
    case Fusion::kGreedy: return build(graph, schedule_greedy(graph), events);
    case Fusion::kExact: return build(graph, schedule_exact(graph), events);
  }
  return {};
}

}  // namespace nvm::plan
