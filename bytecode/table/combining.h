// Which combining scatter goes with an operation that folds.
#pragma once

#include "bytecode/table/op_kind.h"

namespace nvm {

// The combining scatter by `scalar`; there is one for every operation that folds.
[[nodiscard]] constexpr Op combining_op(Scalar scalar) {
  std::size_t op = 0;
  while (kOpKinds[op] != OpKind::kCombine || kScalarsOf[op] != scalar) ++op;
  return static_cast<Op>(op);
}
static_assert(combining_op(Scalar::kXor) == Op::kXorDpermute);

}  // namespace nvm
