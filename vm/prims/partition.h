// PACKs of the same elements in one pass, by all threads: few long segments.
#pragma once

#include <array>
#include <span>

#include "vm/prims/operands.h"
#include "vm/prims/views.h"

namespace nvm::vm {

// What is parted: elements of v in the segments of `s` by their relation to x[k * step] of segment k.
struct Parting {
  const Vector& v;
  const Segdes& s;
  const std::byte* x;
  std::int64_t step;
  int type;   // of the kernels: i32, i64, f64
  bool join;  // the second target behind the first in every segment
};

// Are segments long enough for all threads to share them so?
[[nodiscard]] bool parts_by_all(const Vector& v, const Segdes& s);
// One relation, or none, for each of two or three targets; those without take nothing. Fills `memory`, with
// exactly as much as is taken, and the targets' totals and lengths. The second of a joined pair has no memory
// of its own.
void part_by_all(const PrimContext& context, const Parting& p, std::span<const Scalar> relations,
                 std::span<kernels::PackTarget> targets, std::span<BufferRef> memory);

}  // namespace nvm::vm
