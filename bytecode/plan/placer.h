// Placing nodes into kernels one by one, with the cost of each step: what both schedulers search over.
#pragma once

#include <optional>
#include <vector>

#include "bytecode/plan/composer.h"
#include "bytecode/plan/schedule.h"

namespace nvm::plan {

class Placer {
 public:
  // kMaps: MAPs that need not be stored are computed where they are used. kNothing: every node is stored.
  enum class Inline : std::uint8_t { kMaps, kNothing };
  explicit Placer(const soac::Graph& graph, Inline inlining = Inline::kMaps);

  // Nodes that need a kernel of their own choosing, in order.
  [[nodiscard]] const std::vector<std::int32_t>& anchors() const { return anchors_; }
  [[nodiscard]] std::int32_t kernels() const { return static_cast<std::int32_t>(bodies_.size()); }
  [[nodiscard]] const Schedule& schedule() const { return schedule_; }

  // What placing node n into kernel k (kernels() for a new one over the node's space) would cost in bytes;
  // nullopt if it is not legal.
  std::optional<double> price(std::int32_t n, std::int32_t k);
  // Places it; must have a price.
  void place(std::int32_t n, std::int32_t k, double price);

 private:
  // The body of kernel k with what node n needs; nullopt if n may not run there.
  std::optional<Body> joined(std::int32_t n, std::int32_t k, LengthId base, Body body);
  [[nodiscard]] double stores(std::int32_t n, const Body& body, std::int32_t k) const;

  const soac::Graph* graph_;
  Schedule schedule_;
  std::vector<std::int32_t> anchors_;
  std::vector<Body> bodies_;
  Body pending_;  // of the last price()
};

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

}  // namespace nvm::plan
