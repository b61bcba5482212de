// Elementwise instructions on parts of equally long segments whose results are only put together again, as
// `{min(a, b) ...} ++ {max(a, b) ...}` of the two halves of a sequence. The parts (View::is_slice) and what
// is computed from them (is_map) are not written: the DPERMUTE that completes the segments takes strips of
// the parts through all instructions in the first-level cache, and writes each element once.
#pragma once

#include <optional>

#include "vm/prims/part_run.h"
#include "vm/prims/views.h"

namespace nvm::vm {

// As find_primitive, for BPERMUTE and elementwise instructions that Chain admits, whose result is read by
// such and by DPERMUTE as what it moves: it may be a view. Null for others.
[[nodiscard]] PrimFn find_part_maker(Op op, TypeWord word);

// What puts two such views together, the elements of `low` and then those of `high` in every segment. Their
// segments are the same. Nothing if it is too much to be done at once.
struct SlicesRun {
  PartRun run;
  int low, high;
};
[[nodiscard]] std::optional<SlicesRun> run_of_slices(const PrimContext& context, const Value& low,
                                                     const Value& high);

// The elements of one.
[[nodiscard]] Value written_part(const View& f, const PrimContext& context);
// In place of such a value; others stay.
void write_part(const PrimContext& context, Value& value);

}  // namespace nvm::vm
