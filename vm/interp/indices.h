// Indices that are not written. Some only say where a piece of each segment begins: they stay runs. Others
// only say where one value is put, along runs of places a stride apart, as in a sieve: they stay strided.
#pragma once

#include <span>

#include "bytecode/table/op_info.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// INDEX. False if it is to be executed by who makes the elements, here and below.
[[nodiscard]] bool leave_runs(const PrimContext& context, std::span<Value> operands, Value& result);
// A move by such indices; these are written where it gives false.
[[nodiscard]] bool move_runs(const PrimContext& context, Op op, TypeWord word, std::span<Value> operands,
                             std::span<Value> results);
// DPERMUTE of one value to strided places; these, too.
[[nodiscard]] bool put_strided(const PrimContext& context, std::span<Value> operands, Value& result);

}  // namespace nvm::vm
