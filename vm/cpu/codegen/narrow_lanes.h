// Narrow lanes: what a stage computes and is proved to fit in 1, 2 or 4 bytes is computed in lanes of so
// many, of which a vector has as many more: letters that are compared, flags, counts of neighbours. The proof
// is by ranges from what storage can hold (plan/value_ranges.h); numbers that are the same for all
// iterations, and indices, are looked at in front of the loop. What does not fit is computed beside it, in
// wider lanes, part by part of a narrow vector, and reads narrow flags and numbers as parts: indices in lanes
// of 4 bytes, FLOATs and sums in ordinary ones.
#pragma once

#include <optional>
#include <vector>

#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stage_frame.h"

namespace nvm::vm::cpu {

// What is computed where; by value of the body, or by number of the fold, pack or output of the stage.
struct NarrowPlan {
  int bytes = 0;       // of a narrow lane
  int wide_bytes = 0;  // of a wide one, 4 or 8
  std::vector<bool> narrow, wide;
  std::vector<bool> crossing;        // narrow, and read by wide lanes
  std::vector<bool> counts;          // folds: how many narrow flags are T
  std::vector<bool> packs, outputs;  // narrow
  bool skips = false;                // wide lanes have nothing to do where no flag of a pack is T
  bool all_narrow = true;            // they never have
  [[nodiscard]] int parts() const { return wide_bytes / bytes; }
};

// The widest gain; none if there is little, or if the loop of the stage is no plain one, or may trap.
[[nodiscard]] std::optional<NarrowPlan> narrow_plan(const StageSpec& spec, const std::vector<bool>& needed,
                                                    Isa isa);

// To `to` unless all INTs of `used` that are the same for all iterations, and all indices, have so few bytes.
void jump_unless_fit(x86::Compiler& cc, StageFrame& frame, const StageSpec& spec,
                     const std::vector<bool>& used, int bytes, const asmjit::Label& to);

// A narrow value as wide lanes read it, part by part.
class Crossing {
 public:
  // `narrow` stands in lanes of `bytes`.
  Crossing(Lanes& wide, const Lane& narrow, int bytes);
  [[nodiscard]] Lane part(int number) const;

 private:
  Lanes& to_;
  Lane narrow_;
  int bytes_;
  x86::Mem cells_;  // of INT, and where masks are vectors
};

}  // namespace nvm::vm::cpu
