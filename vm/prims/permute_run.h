// PERMUTE of numbers counted up: where each of them came from, the inverse of the places.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

// What PERMUTE makes of from, from + 1, ... by `places`, as one segment, if no two places are the same.
// False, with nothing done, if two are, if one lies outside, and if there are too few or numbers of more than
// 32 bits. Each thread puts its share of the numbers where they belong; that all are different shows in the
// result, which has no gap then. Bytes: places once, the result three times.
[[nodiscard]] bool permute_run(const PrimContext& context, std::int64_t from, const Vector& places,
                               Value& result);

}  // namespace nvm::vm
