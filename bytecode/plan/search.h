// Looking for the cheapest schedule by branch and bound. The other way there: integer.h.
#pragma once

#include <optional>
#include <vector>

#include "bytecode/plan/schedule.h"

namespace nvm::plan {

// Lists of MAPs that are stored though they need not be (storable()), all there are: each to be tried, the
// empty one first. nullopt if there are too many.
using Storings = std::vector<std::vector<std::int32_t>>;
[[nodiscard]] std::optional<Storings> storings_of(const soac::Graph& graph);

// Makes `best` the cheapest schedule that it finds; proved_by says if nothing can cost less, unproved if not
// why. Cost: a bounded number of steps, each of composing one anchor into one kernel.
void branch_and_bound(const soac::Graph& graph, const Storings& storings, Schedule& best);

}  // namespace nvm::plan
