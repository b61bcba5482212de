// Vectors in which a few numbers come over and over, as lengths or starts of the two parts of every segment
// where segments are equally long, or come each time greater by the same, as starts in one vector of all;
// they are not written (View::is_periodic, vm/prims/periodic.h). Runs of places that begin at such numbers,
// some of them backwards, move elements without being written either (is_periodic_runs).
#pragma once

#include <span>

#include "vm/prims/views.h"

namespace nvm::vm {

// As find_maker and find_reader (vm/prims/views.h), for instructions that leave a period or read one: REPLACE
// of the same element by the same number in equally long segments, +_SCAN of equal numbers; INDEX, EXTRACT,
// REPLACE, MAKE_SEGDES. Null for others.
[[nodiscard]] PrimFn find_periodic_maker(Op op);
[[nodiscard]] PrimFn find_periodic_reader(Op op);
// As find_maker, for instructions that only what grows evenly makes leave something delayed, as the places
// where equally long segments begin (Form::kGrowing); null for others.
[[nodiscard]] PrimFn find_growing_maker(Op op);

// BPERMUTE or DPERMUTE by runs that begin by a period. False: it is to be made by what operand 1 is now.
[[nodiscard]] bool move_periodic(const PrimCall& call);
// Does a BPERMUTE or DPERMUTE with these operands, by runs that begin so, leave every element where it is?
[[nodiscard]] bool stays_periodic(Op op, std::span<const Value> operands);

// Runs that begin by a period and ascend, as runs with a start for each; null if some do not.
[[nodiscard]] ViewRef plain_runs(const View& runs, const PrimContext& context);

}  // namespace nvm::vm
