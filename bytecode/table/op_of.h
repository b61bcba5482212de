// Which instruction does a scalar operation to vectors.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>

#include "bytecode/table/op_kind.h"

namespace nvm {

// The instruction of this kind by `scalar`. Scans, reductions and combining scatters are there for every
// operation that folds.
[[nodiscard]] constexpr std::optional<Op> op_of(OpKind kind, Scalar scalar) {
  for (std::size_t i = 0; i < std::size(kOpKinds); ++i)
    if (kOpKinds[i] == kind && kScalarsOf[i] == scalar) return static_cast<Op>(i);
  return std::nullopt;
}
static_assert(op_of(OpKind::kCombine, Scalar::kXor) == Op::kXorDpermute);
static_assert(!op_of(OpKind::kMap, Scalar::kMax));

}  // namespace nvm
