// DIST and INDEX: a value or a run for each segment.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

// n times an unboxed element, which is not written.
[[nodiscard]] Vector repeat_element(const Vector& scalar, std::int64_t n, const PrimContext& context);

void dist(const PrimCall& call);
void index(const PrimCall& call);

}  // namespace nvm::vm
