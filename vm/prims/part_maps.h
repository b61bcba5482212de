// Elementwise instructions on parts of equally long segments whose results are only put together again, as
// `{min(a, b) ...} ++ {max(a, b) ...}` of the two halves of a sequence. The parts (View::is_slice) and what
// is computed from them (is_map) are not written: the DPERMUTE that completes the segments takes strips of
// the parts through all instructions in the first-level cache, and writes each element once.
#pragma once

#include "vm/prims/views.h"

namespace nvm::vm {

// As find_primitive, for BPERMUTE and elementwise instructions that Chain admits, whose result is read by
// such and by DPERMUTE as what it moves: it may be a view. Null for others.
[[nodiscard]] PrimFn find_part_maker(Op op, TypeWord word);

// A DPERMUTE of such a view. False if it must be made from the written elements; nothing has happened then.
// `may_wait`: the result may be a view.
[[nodiscard]] bool join_parts(const PrimCall& call, bool may_wait);

// The elements of one.
[[nodiscard]] Value written_part(const View& f, const PrimContext& context);
// In place of such a value; others stay.
void write_part(const PrimContext& context, Value& value);

}  // namespace nvm::vm
