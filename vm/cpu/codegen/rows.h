// Rows: where segments are long, a stage runs over one at a time. What is pulled per segment is then one
// number for the loop, so nothing is expanded in front of it, and gathers from inside a row are loads
// (stretches.h).
#pragma once

#include <optional>

#include "bytecode/plan/engine.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stretches.h"

namespace nvm::vm::cpu {

// The stage of `main` for rows of one descriptor; none if it has per-segment pulls of another or of none, or
// gathers by segment that cannot be loads from the row itself, or if its results are not written in place.
[[nodiscard]] std::optional<StageSpec> row_spec(const StageSpec& main);

// The mean length from which on a kernel runs by rows: what a row computes against what looking for it
// takes. Chosen, not tuned.
constexpr std::int64_t kLeastRow = 256;

// How often each element of a list of indices is looked up at least, where runs are looked for in it: one
// thread does that before the kernel begins. Chosen, not tuned.
constexpr std::int64_t kRowsForList = 16;

// The segment of element i.
[[nodiscard]] Row row_of(const plan::Desc& desc, std::int64_t i);

}  // namespace nvm::vm::cpu
