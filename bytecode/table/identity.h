// What reductions and scans start from, for code that needs it when it is compiled; others call op_info.h.
// Static: files built for other instruction sets include this, and their copies must stay their own.
#pragma once

#include <cstdint>
#include <limits>

#include "bytecode/table/op_info.h"

namespace nvm::identity {

static constexpr std::int64_t of_int(Scalar scalar, IntBits bits) {
  const bool narrow = bits == IntBits::k32;
  switch (scalar) {
    case Scalar::kMul: return 1;
    case Scalar::kAnd: return -1;
    case Scalar::kMax:
      return narrow ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
    case Scalar::kMin:
      return narrow ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
    default: return 0;
  }
}

static constexpr double of_float(Scalar scalar) {
  // The single-precision value nearest 1e36, widened: what the legacy interpreter starts from.
  constexpr double kLimit = static_cast<double>(1.0e36F);
  switch (scalar) {
    case Scalar::kMul: return 1.0;
    case Scalar::kMax: return -kLimit;
    case Scalar::kMin: return kLimit;
    default: return 0.0;
  }
}

static constexpr bool of_bool(Scalar scalar) { return scalar == Scalar::kAnd; }

}  // namespace nvm::identity
