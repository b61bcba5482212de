// Ranking and sorting by the context's Orderer.
#pragma once

#include <optional>

#include "vm/prims/prims.h"

namespace nvm::vm {

// The vector that is the call's first operand, in the order of `s`: places of this storage, or the elements
// themselves. False: nobody did it. Sets the first result otherwise.
[[nodiscard]] bool order_elsewhere(const PrimCall& call, const Segdes& s, bool down,
                                   std::optional<Storage> places);

}  // namespace nvm::vm
