// Indices that only say where one value is put, along runs of places a stride apart, as in a sieve: they are
// not written.
#pragma once

#include <span>

#include "vm/prims/prims.h"

namespace nvm::vm {

// DPERMUTE of one value to such places; they are written where it gives false.
[[nodiscard]] bool put_strided(const PrimContext& context, std::span<Value> operands, Value& result);

}  // namespace nvm::vm
