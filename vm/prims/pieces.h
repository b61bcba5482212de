// DPERMUTE and BPERMUTE by runs of places that are not written (vm/prims/formula.h): what is put together
// from pieces is written once, in order, and what is already in order is not written at all.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

// DPERMUTE. `may_wait`: another one, which reads the result as its defaults, will finish it. False if there
// is something about the operands that needs a closer look; nothing has happened then.
[[nodiscard]] bool join_pieces(const PrimCall& call, bool may_wait);
// BPERMUTE; false as above.
[[nodiscard]] bool take_pieces(const PrimCall& call);
// The number that all `starts` are; false if they are not one.
[[nodiscard]] bool same_start(const Vector& starts, const PrimContext& context, std::int64_t& start);

}  // namespace nvm::vm
