// Columns of the instruction table for those who ask at every step of a run, where a call takes too long.
#pragma once

#include <cstddef>
#include <string_view>

#include "bytecode/table/op_info.h"

namespace nvm {

inline constexpr OpKind kOpKinds[] = {
#define OP(id, text, words, operands, results, shape, kind, ...) OpKind::kind,
#include "bytecode/table/ops.def"
};

[[nodiscard]] constexpr OpKind op_kind(Op op) { return kOpKinds[static_cast<std::size_t>(op)]; }

inline constexpr Scalar kScalarsOf[] = {
#define OP(id, text, words, operands, results, shape, kind, scalar, ...) Scalar::scalar,
#include "bytecode/table/ops.def"
};

inline constexpr Algebra kAlgebras[] = {
#define SCALAR(id, name, operands, result, folds, traps, cost, algebra, ...) Algebra::algebra,
#include "bytecode/table/scalar.def"
    Algebra::kOther,  // kNoScalar
};

[[nodiscard]] constexpr Algebra algebra(Scalar scalar) { return kAlgebras[static_cast<std::size_t>(scalar)]; }
[[nodiscard]] constexpr bool is_relation(Scalar scalar) { return algebra(scalar) == Algebra::kRelation; }
[[nodiscard]] constexpr bool is_bitwise(Scalar scalar) { return algebra(scalar) == Algebra::kBitwise; }

// Of an elementwise instruction; of another, kOther.
[[nodiscard]] constexpr Algebra map_algebra(Op op) {
  return op_kind(op) == OpKind::kMap ? algebra(kScalarsOf[static_cast<std::size_t>(op)]) : Algebra::kOther;
}

// Number of a relation among the six, which stand together: < <= > >= = !=.
[[nodiscard]] constexpr std::size_t relation_number(Scalar relation) {
  return static_cast<std::size_t>(relation) - static_cast<std::size_t>(Scalar::kLt);
}
static_assert(relation_number(Scalar::kNe) == 5 && is_relation(Scalar::kNe) && !is_relation(Scalar::kNot));

// The relation of b to a if a stands in this one to b.
[[nodiscard]] constexpr Scalar mirrored(Scalar relation) {
  switch (relation) {
    case Scalar::kLt: return Scalar::kGt;
    case Scalar::kLe: return Scalar::kGe;
    case Scalar::kGt: return Scalar::kLt;
    case Scalar::kGe: return Scalar::kLe;
    default: return relation;
  }
}
// The one in which numbers stand that do not stand in this one.
[[nodiscard]] constexpr Scalar inverse(Scalar relation) {
  constexpr Scalar kInverse[] = {Scalar::kGe, Scalar::kGt, Scalar::kLe,
                                 Scalar::kLt, Scalar::kNe, Scalar::kEq};
  return kInverse[relation_number(relation)];
}
// Does a number stand in it to itself?
[[nodiscard]] constexpr bool holds_equal(Scalar relation) {
  return relation == Scalar::kLe || relation == Scalar::kGe || relation == Scalar::kEq;
}
[[nodiscard]] constexpr bool is_extreme(Scalar s) { return s == Scalar::kMin || s == Scalar::kMax; }
// What the least or greatest of negated numbers is of the numbers; others are their own.
[[nodiscard]] constexpr Scalar other_extreme(Scalar s) {
  return s == Scalar::kMin ? Scalar::kMax : s == Scalar::kMax ? Scalar::kMin : s;
}
// Does every smaller INT stand in this relation to every greater one? If not, none does.
[[nodiscard]] constexpr bool holds_below(Scalar relation) {
  return relation == Scalar::kLt || relation == Scalar::kLe || relation == Scalar::kNe;
}

// Does it read as many elements of its first operand as the second has indices?
[[nodiscard]] constexpr bool picks(Op op) {
  return op_kind(op) == OpKind::kGather || op_kind(op) == OpKind::kExtract;
}
// Do its indices say where its first operand's elements go?
[[nodiscard]] constexpr bool scatters(Op op) {
  return op_kind(op) == OpKind::kScatter || op_kind(op) == OpKind::kCombine;
}
// Ranks the smallest first, or, `down`, the largest.
[[nodiscard]] constexpr Op rank_op(bool down) { return down ? Op::kRankDown : Op::kRankUp; }
// Operands of a move along indices, by their numbers; -1 where it has none.
struct MoveOperands {
  int flags = -1;
  int defaults = -1;
  int first = -1;  // descriptor; of one that takes only one also the last
  int last = -1;
};
[[nodiscard]] inline MoveOperands move_operands(Op op) {
  MoveOperands m;
  if (!picks(op) && !scatters(op) && op_kind(op) != OpKind::kReplace) return m;
  const std::string_view letters = op_info(op).operands;
  for (int i = 2; i < static_cast<int>(letters.size()); ++i) {
    const char letter = letters[static_cast<std::size_t>(i)];
    if (letter == 'B') m.flags = i;
    if (letter == 't') m.defaults = i;
    if (letter == 'S') m.last = i;
    if (letter == 'S' && m.first < 0) m.first = i;
  }
  return m;
}
// Does each element of its result stand in its first operand?
[[nodiscard]] constexpr bool moves_elements(Op op) {
  return op_kind(op) == OpKind::kFilter || op_kind(op) == OpKind::kGather || op_kind(op) == OpKind::kScatter;
}

}  // namespace nvm
