// Between which numbers the values of a body are, by what its pulls can hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bytecode/plan/plan.h"
#include "bytecode/table/ranges.h"

namespace nvm::plan {

// By value; of FLOAT all INTs. Iterations are counted up to `length`, or any number of them; numbers that are
// the same for all of them are within `uniform`.
[[nodiscard]] std::vector<Range> value_ranges(const Body& body, std::span<const Var> vars, IntBits bits,
                                              std::optional<std::int64_t> length = std::nullopt,
                                              const Range& uniform = {});

}  // namespace nvm::plan
