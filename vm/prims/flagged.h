// The places of flags that are set, as a PACK of all indices gives them, left unwritten: a view of kPlaces. A
// DPERMUTE to these places looks at the flags themselves, as where the instances of a lifted conditional are
// put together again: one pass, in order.
#pragma once

#include <optional>

#include "vm/prims/views.h"

namespace nvm::vm {

// A PACK, its flags written, of indices that are not. False if they are not those of one segment, from 0 on,
// or there are several threads to write them; nothing has happened then.
[[nodiscard]] bool leave_flagged(const PrimCall& call);
// The indices that such a view stands for.
[[nodiscard]] Vector written_flagged(const View& places, const PrimContext& context);
// A DPERMUTE to such places. False if it must be made by written ones; nothing has happened then.
[[nodiscard]] bool move_to_flagged(const PrimCall& call, const View& places);
// The elements of the flagged segments of v, `total` in all but not all of v's, as a part of it that shares
// its memory, if they lie one behind the other and are worth that; a flag for each of s.
[[nodiscard]] std::optional<Vector> flagged_part(const Vector& v, const std::uint8_t* flags, const Segdes& s,
                                                 std::int64_t total);

}  // namespace nvm::vm
