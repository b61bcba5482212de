// One element of a scalar operation, computed at load time: what constant folding uses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bytecode/table/op_info.h"

namespace nvm::ssa {

// An element of any type: Int and Bool (0 or 1) in `i`, Float in `f`.
struct Element {
  std::int64_t i = 0;
  double f = 0.0;
};

// The result as the run would compute it, Int wrapped to `bits`. Nothing where it would be a run-time error,
// and where engines may differ in the last bit (elementary functions) or in the sign of a NaN.
[[nodiscard]] std::optional<Element> evaluate(Scalar scalar, TypeWord word, IntBits bits,
                                              std::span<const Element> operands);

}  // namespace nvm::ssa
