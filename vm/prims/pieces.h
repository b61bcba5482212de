// BPERMUTE by runs of places that are not written (vm/prims/views.h).
#pragma once

#include "vm/data/view.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// False if there is something about the operands that needs a closer look; nothing has happened then.
[[nodiscard]] bool take_pieces(const PrimCall& call);
// The number that all `starts` are; false if they are not one.
[[nodiscard]] bool same_start(const Vector& starts, std::int64_t& start);

}  // namespace nvm::vm
