// Columns of the instruction table for those who ask at every step of a run, where a call takes too long.
#pragma once

#include <cstddef>

#include "bytecode/table/op_info.h"

namespace nvm {

inline constexpr OpKind kOpKinds[] = {
#define OP(id, text, words, operands, results, shape, kind, ...) OpKind::kind,
#include "bytecode/table/ops.def"
};

[[nodiscard]] constexpr OpKind op_kind(Op op) { return kOpKinds[static_cast<std::size_t>(op)]; }

// Does it read as many elements of its first operand as the second has indices?
[[nodiscard]] constexpr bool picks(Op op) {
  return op_kind(op) == OpKind::kGather || op_kind(op) == OpKind::kExtract;
}
// Does each element of its result stand in its first operand?
[[nodiscard]] constexpr bool moves_elements(Op op) {
  return op_kind(op) == OpKind::kFilter || op_kind(op) == OpKind::kGather || op_kind(op) == OpKind::kScatter;
}

}  // namespace nvm
