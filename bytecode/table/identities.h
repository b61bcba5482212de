// The identities of op_info.h where a constant is wanted. Static: files built for other instruction sets
// include this, and their copies must stay their own.
#pragma once

#include <cstdint>

#include "bytecode/table/op_info.h"

namespace nvm {

[[nodiscard]] static constexpr std::int64_t constant_int_identity(Scalar scalar, IntBits bits) {
  const bool narrow = bits == IntBits::k32;
  switch (scalar) {
    case Scalar::kMul: return 1;
    case Scalar::kAnd: return -1;
    case Scalar::kMax: return narrow ? INT32_MIN : INT64_MIN;
    case Scalar::kMin: return narrow ? INT32_MAX : INT64_MAX;
    default: return 0;
  }
}

[[nodiscard]] static constexpr double constant_float_identity(Scalar scalar) {
  // The single-precision value nearest 1e36, widened: what the legacy interpreter starts from.
  constexpr double kLimit = static_cast<double>(1.0e36F);
  switch (scalar) {
    case Scalar::kMul: return 1.0;
    case Scalar::kMax: return -kLimit;
    case Scalar::kMin: return kLimit;
    default: return 0.0;
  }
}

// Does a fold give the same bits in whatever order it combines, and with identities among its operands? FLOAT
// has its order from the number of elements (vm/simd/reduce_tree.h).
[[nodiscard]] static constexpr bool any_order(Type type) { return type != Type::kFloat; }

[[nodiscard]] static constexpr bool constant_bool_identity(Scalar scalar) { return scalar == Scalar::kAnd; }

}  // namespace nvm
