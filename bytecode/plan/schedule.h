// Which combinators share a kernel. A schedule anchors every node that must make something of its own
// (stores, reductions, scans, filters) in one kernel; other MAPs are computed wherever they are used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bytecode/plan/plan.h"
#include "bytecode/soac/graph.h"

namespace nvm::plan {

enum class Fusion : std::uint8_t { kOff, kGreedy, kExact };

enum class Rule : std::uint8_t {
#define RULE(id, ...) id,
#include "bytecode/soac/rules.def"
};
enum class Refusal : std::uint8_t {
#define REFUSE(id, ...) id,
#include "bytecode/soac/refuse.def"
};
[[nodiscard]] const char* rule_name(Rule rule);
[[nodiscard]] const char* refusal_text(Refusal refusal);

// One rule that fired or was refused, between the producer `from` and the consumer `to` (nodes of the graph).
struct RuleEvent {
  bool fired = true;
  Rule rule = Rule::kMapMap;         // if fired
  Refusal refusal = Refusal::kNone;  // if not
  std::int32_t from = kNone;
  std::int32_t to = kNone;
  friend bool operator==(const RuleEvent&, const RuleEvent&) = default;
};

enum class Search : std::uint8_t { kNone, kGreedy, kOneKernel, kBranchAndBound, kInteger };

struct Schedule {
  std::vector<std::int32_t> kernel;  // by node: its kernel, kNone if it is only computed where it is used
  std::vector<bool> stored;          // by node: its vector is materialised
  std::vector<LengthId> spaces;      // by kernel: the space it iterates over
  double cost = 0.0;                 // bytes moved plus launches, in bytes; see cost.h
  Search found_by = Search::kNone;
  Search proved_by = Search::kNone;  // what knows that no legal schedule costs less
  const char* unproved = nullptr;    // why nothing does; null if none was asked
};

// Every node by itself: fusion off.
[[nodiscard]] Schedule schedule_off(const soac::Graph& graph);
// Nodes in order, each into the legal kernel that costs least. Quadratic in the nodes.
[[nodiscard]] Schedule schedule_greedy(const soac::Graph& graph);
// The cheapest of all legal schedules: known at once of some that are one kernel; by branch and bound for
// graphs of up to kExactNodes anchors, if that takes few steps; else by an integer program (integer.h). Past
// the limits of that the best found so far. Never worse than greedy.
[[nodiscard]] Schedule schedule_exact(const soac::Graph& graph);
inline constexpr int kExactNodes = 12;

// "found by greedy, proved by branch and bound" and the like.
[[nodiscard]] std::string origin_text(const Schedule& schedule);

// The plan of a schedule. `events`, if given, receives the rules that fired and were refused.
[[nodiscard]] Plan build(const soac::Graph& graph, const Schedule& schedule,
                         std::vector<RuleEvent>* events = nullptr);

// Graph to plan by the given way of scheduling.
[[nodiscard]] Plan fuse(const soac::Graph& graph, Fusion fusion, std::vector<RuleEvent>* events = nullptr);

}  // namespace nvm::plan
