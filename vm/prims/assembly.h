// Vectors that are put together by DPERMUTEs, each over the one before, as `a ++ b` and the branches of a
// conditional are. An assembly (vm/data/view.h) collects the parts. When they are as many elements as the
// result, it is filled: written once, in order, or not at all where the parts lie in their places.
#pragma once

#include "vm/prims/views.h"

namespace nvm::vm {

// DPERMUTE as one more part. `may_wait`: others will fill what is left. False if there is something about the
// operands that needs a closer look, or a part that would have to be written first; nothing has happened
// then.
[[nodiscard]] bool assemble(const PrimCall& call, bool may_wait);

// The elements of one that is not full: the parts one after the other.
[[nodiscard]] Value written_assembly(const View& v, const PrimContext& context);

// Leaves `parts` over `defaults`.
[[nodiscard]] Value assembly_value(const Segdes& s, const Vector& defaults, std::vector<AssemblyPart> parts);

}  // namespace nvm::vm
