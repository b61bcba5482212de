// One value put to places that lie a stride apart in runs: a scatter whose indices INDEX would make. The
// order does not matter, so that places are taken block by block, in the cache, by all threads, and no index
// is written.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

// What DPERMUTE makes of `value` (one element) at the indices that INDEX makes of `starts`, `strides` and
// `s`, in `defaults` as one segment. False, with nothing done, if a place would lie outside, which the
// instruction itself has to say, or if runs are too short for this.
[[nodiscard]] bool put_strided(const PrimContext& context, const Vector& value, const Vector& starts,
                               const Vector& strides, const Segdes& s, Vector& defaults, Value& result);

}  // namespace nvm::vm
