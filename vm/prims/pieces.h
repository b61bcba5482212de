// DPERMUTE and BPERMUTE by runs of places that are not written (vm/prims/views.h): what is put together from
// pieces is written once, in order, and what is already in order is not written at all.
#pragma once

#include "vm/data/view.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// DPERMUTE. `may_wait`: another one, which reads the result as its defaults, will finish it. False if there
// is something about the operands that needs a closer look; nothing has happened then.
[[nodiscard]] bool join_pieces(const PrimCall& call, bool may_wait);
// BPERMUTE; false as above.
[[nodiscard]] bool take_pieces(const PrimCall& call);
// The number that all `starts` are; false if they are not one.
[[nodiscard]] bool same_start(const Vector& starts, const PrimContext& context, std::int64_t& start);

// Of kJoin: the parts one after the other.
[[nodiscard]] Value written_join(const View& v, const PrimContext& context);

}  // namespace nvm::vm
