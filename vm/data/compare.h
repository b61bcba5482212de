// Equality of values, exactly or within units in the last place; says where and how two values differ. For
// tests, for comparing tiers and engines, and for users who compare runs.
#pragma once

#include <cstdint>
#include <string>

#include "vm/data/value.h"

namespace nvm::vm {

// Distance of two FLOATs in representable numbers: 0 for equal bits, for zeros of either sign and for two
// NaNs; the largest value if exactly one is NaN.
[[nodiscard]] std::uint64_t ulp_distance(double a, double b);

// Empty if the values agree: same kinds, lengths, descriptors and elements, FLOAT elements within `ulps`.
// Else where they first differ, e.g. "element 3: 1.5 and 2.5". Storages do not count. Deferred values never
// agree. With ulps 0, FLOATs agree if their bits do, or if both are NaN.
[[nodiscard]] std::string difference(const Value& a, const Value& b, std::uint64_t ulps = 0);

}  // namespace nvm::vm
