#include "bytecode/plan/integer.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "bytecode/base/check.h"
#include "bytecode/plan/columns.h"
#include "bytecode/plan/cost.h"
#include "bytecode/plan/linear.h"

namespace nvm::plan {

namespace {

using Term = LinearProgram::Term;

bool has(const std::vector<std::int32_t>& sorted, std::int32_t x) {
  return std::binary_search(sorted.begin(), sorted.end(), x);
}

// One integer program. Its variables: the columns; for each anchor that some of them load, if it is stored;
// for each anchor, that it is in no kernel, which is dearer than all schedules of interest, so that there is
// always a solution and never to be believed that there is none.
class Integer {
 public:
  Integer(const soac::Graph& graph, const Placer& placer, std::vector<Column> columns,
          const IntegerLimits& limits, Schedule& best)
      : graph_(graph),
        placer_(placer),
        anchors_(placer.anchors()),
        columns_(std::move(columns)),
        steps_(limits.steps),
        rounds_(limits.rounds),
        best_(best) {
    find_loaded();
    std::vector<double> costs;
    for (const Column& c : columns_) costs.push_back(c.cost * kUnit);
    for (const std::int32_t p : loaded_) costs.push_back(vector_bytes(graph_, node(p).out) * kUnit);
    costs.insert(costs.end(), anchors_.size(), best.cost * kUnit);
    program_ = std::make_unique<LinearProgram>(costs);
    for (std::size_t a = 0; a < anchors_.size(); ++a) constrain(static_cast<std::int32_t>(a));
  }

  // The best schedule becomes the cheapest; null, or why that is not known. Branches until each column is
  // chosen or not, where what the fractions cost does not show that nothing is cheaper.
  const char* run() {
    for (;;) {
      if (rounds_-- == 0) return "the integer program takes too many rounds";
      const auto solution = program_->solve(steps_);
      if (!solution) return steps_ < 0 ? "the integer program takes too many steps" : "the solver failed";
      if (cannot_beat(solution->bound)) return nullptr;
      if (const std::int32_t c = most_divided(*solution); c != kNone) return branch(c);
      const auto chosen = chosen_columns(*solution);
      if (!chosen) return kInexact;
      if (cut_cycles(*chosen) > 0) continue;
      if (Schedule found = composed(*chosen); found.cost < best_.cost) {
        best_ = std::move(found);
        best_.found_by = Search::kInteger;
      }
      return cannot_beat(solution->bound) ? nullptr : kInexact;
    }
  }
  [[nodiscard]] int cuts() const { return cuts_; }

 private:
  static constexpr double kUnit = 1.0 / kLaunchBytes;
  static constexpr double kAccuracy = 1e-9;  // of costs, which differ by ten-thousandths if at all
  static constexpr const char* kInexact = "the solver's numbers are not exact enough";

  [[nodiscard]] bool cannot_beat(double bound) const {
    return bound >= best_.cost * kUnit * (1.0 - kAccuracy) - kAccuracy;
  }
  // The column of which it is least clear if it is chosen; kNone if it is of all.
  [[nodiscard]] std::int32_t most_divided(const LinearProgram::Solution& s) const {
    std::int32_t found = kNone;
    double most = 1e-6;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const double divided = std::min(s.values[c], 1.0 - s.values[c]);
      if (divided <= most) continue;
      most = divided;
      found = static_cast<std::int32_t>(c);
    }
    return found;
  }
  const char* branch(std::int32_t column) {
    const char* refusal = nullptr;
    for (const double value : {1.0, 0.0}) {
      program_->limit(column, value, value);
      if (refusal == nullptr) refusal = run();
    }
    program_->limit(column, 0.0, 1.0);
    return refusal;
  }

  [[nodiscard]] const soac::Node& node(std::int32_t anchor) const {
    return graph_.nodes[static_cast<std::size_t>(anchors_[static_cast<std::size_t>(anchor)])];
  }

  // Anchors of which it is a variable whether they are stored, behind the columns.
  void find_loaded() {
    for (const Column& c : columns_) loaded_.insert(loaded_.end(), c.loads.begin(), c.loads.end());
    std::sort(loaded_.begin(), loaded_.end());
    loaded_.erase(std::unique(loaded_.begin(), loaded_.end()), loaded_.end());
  }

  // Anchor a is in exactly one kernel, and what that loads is stored.
  void constrain(std::int32_t a) {
    std::vector<Term> in_one;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (has(columns_[c].members, a)) in_one.push_back({static_cast<std::int32_t>(c), 1.0});
    const std::size_t nowhere = columns_.size() + loaded_.size() + static_cast<std::size_t>(a);
    std::vector<Term> somewhere = in_one;
    somewhere.push_back({static_cast<std::int32_t>(nowhere), 1.0});
    program_->add_exactly(somewhere, 1.0);
    for (std::size_t l = 0; l < loaded_.size(); ++l) {
      std::vector<Term> load;
      for (const Term& t : in_one)
        if (has(columns_[static_cast<std::size_t>(t.variable)].loads, loaded_[l])) load.push_back(t);
      if (load.empty()) continue;
      load.push_back({static_cast<std::int32_t>(columns_.size() + l), -1.0});
      program_->add_at_most(load, 0.0);
    }
  }

  // By anchor its column; nullopt if one has none or two.
  [[nodiscard]] std::optional<std::vector<std::int32_t>> chosen_columns(
      const LinearProgram::Solution& s) const {
    std::vector<std::int32_t> chosen(anchors_.size(), kNone);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (s.values[c] < 0.5) continue;
      for (const std::int32_t a : columns_[c].members) {
        if (chosen[static_cast<std::size_t>(a)] != kNone) return std::nullopt;
        chosen[static_cast<std::size_t>(a)] = static_cast<std::int32_t>(c);
      }
    }
    if (std::count(chosen.begin(), chosen.end(), kNone) > 0) return std::nullopt;
    return chosen;
  }

  // Forbids the shortest cycles of the kernels chosen: one through each of them that is in any. The number of
  // cuts.
  int cut_cycles(const std::vector<std::int32_t>& chosen) {
    std::vector<std::vector<std::int32_t>> cycles;
    for (std::size_t a = 0; a < chosen.size(); ++a) {
      auto cycle = cycle_of(chosen, static_cast<std::int32_t>(a));
      if (cycle.empty()) continue;
      std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
      if (std::find(cycles.begin(), cycles.end(), cycle) != cycles.end()) continue;
      cut(cycle);
      cycles.push_back(std::move(cycle));
    }
    cuts_ += static_cast<int>(cycles.size());
    return static_cast<int>(cycles.size());
  }

  // Anchors each of which is read by the kernel of the next, and the last by that of the first, which is
  // `from`; empty if there are none.
  [[nodiscard]] std::vector<std::int32_t> cycle_of(const std::vector<std::int32_t>& chosen,
                                                   std::int32_t from) const {
    const auto column = [&](std::int32_t a) { return chosen[static_cast<std::size_t>(a)]; };
    std::vector<std::int32_t> via(anchors_.size(), kNone);  // by anchor: one whose kernel reads it
    std::vector<std::int32_t> queue{from};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::int32_t r : columns_[static_cast<std::size_t>(column(queue[i]))].reads) {
        if (column(r) == column(from)) {
          std::vector<std::int32_t> cycle{r};
          for (std::int32_t a = queue[i]; a != from; a = via[static_cast<std::size_t>(a)]) cycle.push_back(a);
          return cycle;
        }
        if (via[static_cast<std::size_t>(r)] != kNone) continue;
        via[static_cast<std::size_t>(r)] = queue[i];
        queue.push_back(r);
      }
    }
    return {};
  }

  // Not for each two neighbours a kernel that has the one and reads the other. Of the kernels that have an
  // anchor one is chosen, so that this forbids all cycles through these anchors at once.
  void cut(const std::vector<std::int32_t>& cycle) {
    std::vector<double> factors(columns_.size(), 0.0);
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const std::int32_t a = cycle[i], read = cycle[(i + cycle.size() - 1) % cycle.size()];
      for (std::size_t c = 0; c < columns_.size(); ++c)
        if (has(columns_[c].members, a) && has(columns_[c].reads, read)) factors[c] += 1.0;
    }
    std::vector<Term> terms;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (factors[c] > 0.0) terms.push_back({static_cast<std::int32_t>(c), factors[c]});
    program_->add_at_most(terms, static_cast<double>(cycle.size()) - 1.0);
  }

  // The schedule, and its cost, by composing it once more.
  [[nodiscard]] Schedule composed(const std::vector<std::int32_t>& chosen) const {
    Placer placer = placer_;
    std::vector<std::int32_t> kernel(columns_.size(), kNone);
    for (std::size_t a = 0; a < anchors_.size(); ++a) {
      std::int32_t& k = kernel[static_cast<std::size_t>(chosen[a])];
      if (k == kNone) k = placer.kernels();
      const auto price = placer.price(anchors_[a], k);
      NVM_CHECK(price.has_value(), "kernels without a cycle compose as each did by itself");
      placer.place(anchors_[a], k, *price);
    }
    return placer.schedule();
  }

  const soac::Graph& graph_;
  const Placer& placer_;
  const std::vector<std::int32_t>& anchors_;
  std::vector<Column> columns_;
  std::vector<std::int32_t> loaded_;
  std::unique_ptr<LinearProgram> program_;
  int steps_, rounds_, cuts_ = 0;  // steps and rounds: that may still be made
  Schedule& best_;
};

}  // namespace

IntegerWork integer_program(const soac::Graph& graph, const Storings& storings, Schedule& best,
                            const IntegerLimits& limits) {
  IntegerWork work;
  const char* unproved = nullptr;
  for (const std::vector<std::int32_t>& stored : storings) {
    const Placer placer(graph, Placer::Inline::kMaps, stored);
    auto columns = columns_of(graph, placer, limits.columns);
    if (!columns) {
      unproved = "too many legal kernels";
      continue;
    }
    work.columns += static_cast<int>(columns->size());
    Integer program(graph, placer, std::move(*columns), limits, best);
    const char* refusal = program.run();
    work.cuts += program.cuts();
    if (refusal != nullptr) unproved = refusal;
  }
  best.unproved = unproved;
  if (unproved == nullptr) best.proved_by = Search::kInteger;
  return work;
}

}  // namespace nvm::plan
