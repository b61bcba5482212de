// Placing nodes into kernels one by one, with the cost of each step: what both schedulers search over.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bytecode/plan/composer.h"
#include "bytecode/plan/schedule.h"

namespace nvm::plan {

class Placer {
 public:
  // kMaps: MAPs that need not be stored are computed where they are used. kNothing: every node is stored.
  enum class Inline : std::uint8_t { kMaps, kNothing };
  // `also_stored`: MAPs that are stored though they need not be.
  explicit Placer(const soac::Graph& graph, Inline inlining = Inline::kMaps,
                  std::span<const std::int32_t> also_stored = {});

  // Nodes that need a kernel of their own choosing, in order.
  [[nodiscard]] const std::vector<std::int32_t>& anchors() const { return anchors_; }
  [[nodiscard]] std::int32_t kernels() const { return static_cast<std::int32_t>(bodies_.size()); }
  [[nodiscard]] double cost() const { return schedule_.cost; }
  // Every anchor placed: the schedule, kernels numbered in an order in which they can run.
  [[nodiscard]] Schedule schedule() const;
  // What anchors from the `at`-th on cost at least, wherever they go.
  [[nodiscard]] double rest(std::size_t at) const { return rest_[at]; }

  // What placing node n into kernel k (kernels() for a new one over the node's space) would cost in bytes;
  // nullopt if it is not legal.
  std::optional<double> price(std::int32_t n, std::int32_t k);
  // Places it; must have a price.
  void place(std::int32_t n, std::int32_t k, double price);

 private:
  void find_rest();
  [[nodiscard]] double stores(std::int32_t n, const Body& body, std::int32_t k) const;

  const soac::Graph* graph_;
  Schedule schedule_;
  std::vector<std::int32_t> anchors_;
  std::vector<double> rest_;  // by anchor and behind the last
  std::vector<Body> bodies_;
  KernelOrder order_{0};
  Body pending_;                             // of the last price()
  std::vector<std::int32_t> pending_reads_;  // kernels that must run before it
};

// MAPs that may be computed where they are gathered from, but gather from several vectors there: storing them
// first may cost less.
[[nodiscard]] std::vector<std::int32_t> storable(const soac::Graph& graph);

// Composes all that node n sinks; false if it may not run in the composer's kernel. The values are appended
// to `body`; used by Placer and by build().
struct NodeValues {
  std::int32_t value = kNone;
  std::int32_t flag = kNone;  // filters: flag; kPermute: optional
  std::int32_t index = kNone;
  std::int32_t predicate = kNone;  // only iterations where it holds belong to the node's space
};
[[nodiscard]] std::optional<NodeValues> compose(const soac::Graph& graph, Composer& composer, std::int32_t n,
                                                Refusal& refusal);

// Adds to the body of kernel k, over `base`, what node n needs there; the kernels that must then run before
// it, some twice, or nullopt if n may not run there. Kernels run by number, or if there is an `order`, by
// that.
[[nodiscard]] std::optional<std::vector<std::int32_t>> joined(const soac::Graph& graph,
                                                              const Schedule& schedule, std::int32_t k,
                                                              LengthId base, std::int32_t n, Body& body,
                                                              const KernelOrder* order = nullptr);

}  // namespace nvm::plan
