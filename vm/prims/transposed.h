// PERMUTE that makes the columns of a matrix its rows.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

// Elements of `rows` rows of `columns` each: element i of row k to place i * rows + k. In squares that fit
// the first-level cache, by all threads. Bytes: elements and result once.
[[nodiscard]] Vector transposed(const PrimContext& context, const Vector& v, std::int64_t rows,
                                std::int64_t columns);

}  // namespace nvm::vm
