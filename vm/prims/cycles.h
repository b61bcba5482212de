// Vectors in which a few numbers come over and over, as lengths or starts of the two parts of every segment
// where segments are equally long; they are not written (Formula::Kind::kCycle). Runs of places that begin at
// such numbers, some of them backwards, move elements without being written either (kCycledRuns).
#pragma once

#include <span>

#include "vm/prims/formula.h"

namespace nvm::vm {

// REPLACE of the same element by the same number in equally long segments of equal elements, or of a cycle.
// False if it is something else; nothing has happened then.
[[nodiscard]] bool replace_in_cycle(const PrimCall& call);
// INDEX whose starts or strides are a cycle, the strides 1 or -1; false as above.
[[nodiscard]] bool index_by_cycle(const PrimCall& call);
// MAKE_SEGDES of a cycle of equal lengths; false as above.
[[nodiscard]] bool segdes_of_cycle(const PrimCall& call);
// BPERMUTE by runs that begin so; false as above.
[[nodiscard]] bool take_cycled(const PrimCall& call);
// Does a BPERMUTE or DPERMUTE with these operands, by runs that begin so, leave every element where it is?
[[nodiscard]] bool stays_by_cycle(Op op, std::span<const Value> operands);

// The vector that a cycle, or what is indexed by one, stands for.
[[nodiscard]] Value written_cycle(const Formula& f, const PrimContext& context);
// Runs that begin by a cycle and ascend, as runs with a start for each; null if some do not.
[[nodiscard]] std::shared_ptr<const Formula> plain_runs(const Formula& f, const PrimContext& context);

}  // namespace nvm::vm
