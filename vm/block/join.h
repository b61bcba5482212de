// Putting the results of groups end to end: vectors by their elements, descriptors by their lengths.
#pragma once

#include <vector>

#include "vm/data/value.h"
#include "vm/prims/prims.h"

namespace nvm::vm::block {

// By group, then by result. Every group has the same results; they are vectors or descriptors.
using GroupResults = std::vector<std::vector<Value>>;

// Empties `groups`. Descriptors whose lengths are all equal stay two numbers; Ints take the narrowest storage
// that the groups' vectors have and all elements fit. A single group hands its results over. Throws Fault
// (memory). `moved`: null, or what the bytes are added to that were read and written.
[[nodiscard]] std::vector<Value> join(const PrimContext& context, GroupResults& groups,
                                      std::int64_t* moved = nullptr);

}  // namespace nvm::vm::block
