#include "bytecode/plan/schedule.h"

#include <algorithm>
#include <limits>

#include "bytecode/base/check.h"
#include "bytecode/plan/integer.h"
#include "bytecode/plan/placer.h"
#include "bytecode/plan/search.h"

namespace nvm::plan {

namespace {

struct Choice {
  std::int32_t kernel = kNone;
  double price = std::numeric_limits<double>::infinity();
};

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
  best.found_by = Search::kGreedy;
  return best;
}

namespace {

// In other kernels every node would read what it reads here, and what it gets from its neighbours for
// nothing.
bool one_kernel(const soac::Graph& graph, const Schedule& s) {
  if (s.spaces.size() != 1) return false;
  for (std::size_t n = 0; n < s.kernel.size(); ++n)
    if (s.kernel[n] != kNone && graph.nodes[n].space != s.spaces[0]) return false;
  return true;
}

}  // namespace

Schedule schedule_exact(const soac::Graph& graph) {
  Schedule best = schedule_greedy(graph);
  const auto storings = storings_of(graph);
  if (!storings) {
    best.unproved = "too many gathers to try each both ways";
    return best;
  }
  if (storings->size() == 1 && one_kernel(graph, best)) {
    best.proved_by = Search::kOneKernel;
    return best;
  }
  branch_and_bound(graph, *storings, best);
  if (best.proved_by == Search::kNone) integer_program(graph, *storings, best);
  return best;
}

std::string origin_text(const Schedule& schedule) {
  static constexpr const char* kNames[] = {"nobody", "greedy", "one kernel", "branch and bound",
                                           "integer program"};
  const auto name = [](Search s) { return std::string(kNames[static_cast<int>(s)]); };
  const std::string found = "found by " + name(schedule.found_by);
  if (schedule.unproved != nullptr) return found + ", not proved: " + schedule.unproved;
  switch (schedule.proved_by) {
    case Search::kNone: return found;
    case Search::kOneKernel: return found + ", proved: one kernel is enough";
    default: return found + ", proved by " + name(schedule.proved_by);
  }
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
