// What must be known before indices are moved in place of the elements that they pull.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

// Are all of 0 <= i < length? One pass, by all threads.
[[nodiscard]] bool indices_inside(const PrimContext& context, const Vector& indices, std::int64_t length);

// PERMUTE, if its places are seen to be all different and so to leave none without an element: those in
// order, a few runs, and those that part one segment in two. False, and nothing done, for others and for
// errors.
[[nodiscard]] bool permute_one_to_one(const PrimCall& call);

}  // namespace nvm::vm
