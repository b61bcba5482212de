// PERMUTEs that part a vector in two: the places are the ranks of the elements among those of equal flag, one
// side's behind a number. As `split` has it, and code by hand:
//
//   select(flags, base + r, i - r)    r = +_SCAN of the flags as INT, i = INDEX from 0
//
// or with a scan for each side, or the flagged side in front. A side's rank is r or i minus the other's rank.
// Over several segments all that has a descriptor has that of the PERMUTE, and each segment a number of its
// own.
#pragma once

#include <optional>

#include "bytecode/soac/region.h"

namespace nvm::soac {

struct Parting {
  VarId flags = kNone;
  VarId base = kNone;        // INT, one for each segment: where the second side begins, if it parts at all
  bool flagged_last = true;  // else the elements whose flag is T come first
};

// If `permute`, an instruction behind those of the region, parts its elements wherever its `base` is the
// number of elements of the first side; nothing is said of other bases.
[[nodiscard]] std::optional<Parting> parting(const Region& region, const RegionInst& permute);

// The same of a PERMUTE of all elements, one segment, by `places`, which the region makes.
[[nodiscard]] bool parts(const Region& region, VarId places);

// True if all elements of the INT vector x are known to be `value`.
[[nodiscard]] bool is_always(const Region& region, VarId x, std::int64_t value);

}  // namespace nvm::soac
