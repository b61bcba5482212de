// Two PACKs of one pass whose elements are to be joined, segment by segment, lie joined from the start; each
// is a view (View::is_half). A DPERMUTE of the first by ascending places waits; that of the second finds
// every element in its place.
#pragma once

#include "vm/prims/views.h"

namespace nvm::vm {

// The two halves of `joined`, whose segments have the lengths of `first` and `second` together.
void make_halves(const Vector& joined, const Segdes& first, const Segdes& second, Value& first_half,
                 Value& second_half);
// The elements of one half.
[[nodiscard]] Value written_half(const View& half, const PrimContext& context);

}  // namespace nvm::vm
