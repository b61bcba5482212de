// Between which numbers the values of a body are, by what its pulls can hold.
#pragma once

#include <span>
#include <vector>

#include "bytecode/plan/plan.h"
#include "bytecode/table/ranges.h"

namespace nvm::plan {

// By value; of FLOAT all INTs.
[[nodiscard]] std::vector<Range> value_ranges(const Body& body, std::span<const Var> vars, IntBits bits);

}  // namespace nvm::plan
