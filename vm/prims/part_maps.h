// Elementwise instructions on parts of equally long segments whose results are only put together again, as
// `{min(a, b) ...} ++ {max(a, b) ...}` of the two halves of a sequence. The parts (Formula::Kind::kPart) and
// what is computed from them (kMapped) are not written: the DPERMUTE that completes the segments takes strips
// of the parts through all instructions in the first-level cache, and writes each element once.
#pragma once

#include "vm/prims/formula.h"

namespace nvm::vm {

// As find_primitive, for BPERMUTE and elementwise instructions that Chain admits, whose result is read by
// such and by DPERMUTE as what it moves: it may be a formula. Null for others.
[[nodiscard]] PrimFn find_part_maker(Op op, TypeWord word);

// A DPERMUTE of such a formula. False if it must be made from the written elements; nothing has happened
// then. `may_wait`: the result may be a formula.
[[nodiscard]] bool join_parts(const PrimCall& call, bool may_wait);

// The elements of kPart or kMapped.
[[nodiscard]] Value written_part(const Formula& f, const PrimContext& context);
// In place of such a value; others stay.
void write_part(const PrimContext& context, Value& value);

}  // namespace nvm::vm
