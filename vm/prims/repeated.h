// Vectors of equal elements. Where segments are equally long, most of what is computed for each of them is
// the same for all: one element repeated (Vector::repeated), which is computed once and not written. For one
// thread that nobody watches; results are those of the primitives, bit for bit.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

// Executes an instruction of one result if that has equal elements and little is to be done for it. False if
// nothing has happened.
[[nodiscard]] bool run_repeated(const PrimCall& call);

// Do the elements of a vector in memory have the same bits?
[[nodiscard]] bool all_equal(const Vector& v);

// Writes the elements of a vector that are one repeated.
void write_repeated(const PrimContext& context, Value& value);

}  // namespace nvm::vm
