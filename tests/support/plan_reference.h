// What a plan means, one element at a time: plain loops over vectors of elements, against which engines are
// held. FLOAT folds follow the order that vm/simd/reduce_tree.h lays down.
#pragma once

#include <cstdint>
#include <vector>

#include "bytecode/plan/plan.h"

namespace nvm::testing {

// INT (sign-extended) and BOOL in `i`, FLOAT in `f`.
struct Element {
  std::int64_t i = 0;
  double f = 0.0;
};

// Everything a plan is run on, by VarId and LengthId; inputs filled in by the caller, the rest by evaluate().
struct Bindings {
  std::vector<std::vector<Element>> vectors;
  std::vector<std::vector<std::int64_t>> descs;  // lengths of segments
  std::vector<std::int64_t> lengths;
};

// False if some element fails a check.
[[nodiscard]] bool evaluate(const plan::Plan& plan, Bindings& bindings);

}  // namespace nvm::testing
