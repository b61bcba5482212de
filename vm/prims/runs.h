// Permutations that consist of a few runs of ascending or descending places: the identity, rotations,
// reversals, halves swapped. They move as copies do.
#pragma once

#include <cstdint>
#include <vector>

#include "vm/prims/operands.h"

namespace nvm::vm {

// Elements from, from + 1, ... go to places to, to + step, ...; step is 1 or -1.
struct Run {
  std::int64_t from, to, length, step;
};

// The runs that n >= 1 indices from number `begin` on consist of, in order, if there are few and they are a
// permutation of 0..n-1; else none. Elements are counted from `begin`. Costs a few comparisons where there
// are many, a pass over the indices where there are few.
[[nodiscard]] std::vector<Run> few_runs(const PrimContext& context, const Indices& idx, std::int64_t begin,
                                        std::int64_t n);

// Are n indices x, x + 1, ... ? Stops early at one that is not.
[[nodiscard]] bool ascends(const PrimContext& context, const Indices& idx, std::int64_t n);
// Are they 0, 1, ... n-1?
[[nodiscard]] inline bool is_identity(const PrimContext& context, const Indices& idx, std::int64_t n) {
  return n == 0 || (idx[0] == 0 && ascends(context, idx, n));
}

// Moves the elements of `v` from number `begin` on by their runs to the same n places of `out`, which is of
// the same storage.
void move_by_runs(const PrimContext& context, const std::vector<Run>& runs, const Elements& v,
                  std::int64_t begin, std::int64_t n, const Fresh& out);

}  // namespace nvm::vm
