// Typed view of the instruction table (ops.def) and of the scalar operations (scalar.def).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bytecode/table/types.h"

namespace nvm {

enum class Op : std::uint8_t {
#define OP(id, ...) id,
#include "bytecode/table/ops.def"
};

enum class Scalar : std::uint8_t {
#define SCALAR(id, ...) id,
#include "bytecode/table/scalar.def"
  kNoScalar,
};

// Which type words the grammar wants after the instruction.
enum class Words : std::uint8_t { kNoWord, kNumeric, kLogical, kGeneral, kAny, kIntWord };

// How an instruction is executed and fused.
enum class OpKind : std::uint8_t {
  kMap,
  kScan,
  kReduce,
  kCombine,  // scatter over defaults that combines
  kScatter,
  kGather,
  kExtract,
  kReplace,
  kDist,
  kIota,
  kRank,
  kFilter,
  kShape,    // lengths and descriptors
  kRandom,   // elementwise with a state
  kBlock,    // stack shuffles, constants, pairs: gone after lowering to SSA
  kControl,  // calls and conditionals
  kHost,     // state, clock, input and output
};

enum class Effect : std::uint8_t { kPure, kFaults, kOrdered };
enum class Work : std::uint8_t { k1, kN, kR };

// What is known of a scalar operation's results without computing them.
enum class Algebra : std::uint8_t {
  kOther,
  kRelation,  // compares two values
  kLinear,    // of operands that grow evenly the result does, too
  kBitwise,   // of INTs that fit a storage the result does, too
};

// One row of ops.def. operands, results and shape are as explained there.
struct OpInfo {
  Op op;
  std::string_view text;
  Words words;
  std::string_view operands;
  std::string_view results;
  std::string_view shape;
  OpKind kind;
  Scalar scalar;
  Effect effect;
  Work work;
  std::string_view doc;
};

// One row of scalar.def.
struct ScalarInfo {
  Scalar scalar;
  std::string_view name;
  std::string_view operands;
  char result;
  bool folds;
  bool traps;
  int cost;
  Algebra algebra;
  std::string_view doc;
};

[[nodiscard]] const OpInfo& op_info(Op op);
[[nodiscard]] const ScalarInfo& scalar_info(Scalar scalar);
// Are some values of operands of this type run-time errors? FLOATs never are.
[[nodiscard]] inline bool scalar_traps(Scalar scalar, Type operand) {
  return scalar_info(scalar).traps && operand == Type::kInt;
}
[[nodiscard]] std::span<const OpInfo> all_ops();
[[nodiscard]] std::span<const ScalarInfo> all_scalars();

// The instruction that applies `scalar` to each element; there is one (not for minimum and maximum).
[[nodiscard]] Op elementwise_op(Scalar scalar);
// The instruction written as `text`, if there is one.
[[nodiscard]] std::optional<Op> find_op(std::string_view text);
// True if the grammar accepts `word` after `op` (kNone where it wants none).
[[nodiscard]] bool word_allowed(Op op, TypeWord word);

// The kind an operand or result letter stands for, given the instruction's type word. Not for '*'.
[[nodiscard]] Type letter_type(char letter, TypeWord word);
// True for i f b: a vector that must have length one.
[[nodiscard]] constexpr bool letter_is_single(char letter) {
  return letter == 'i' || letter == 'f' || letter == 'b';
}

// The shape column, parsed: one term per operand, then one per result.
struct ShapeTerm {
  char length = 0;  // n m k e w: symbolic length; '1'; '_' anything. Descriptors: the number of segments
  char total = 0;   // descriptors only: the total length
};
struct Shape {
  ShapeTerm terms[10];
  int operands = 0;
  int results = 0;
};
[[nodiscard]] const Shape& op_shape(Op op);

// Identity of a folding scalar operation as VCODE defines it (spec: scans). Int operations for the given
// width; max and min of FLOAT use -/+9.99999961690316e35. kBool values are 0 or 1.
[[nodiscard]] std::int64_t int_identity(Scalar scalar, IntBits bits);
[[nodiscard]] double float_identity(Scalar scalar);
[[nodiscard]] bool bool_identity(Scalar scalar);

}  // namespace nvm
