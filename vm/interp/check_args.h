// Dynamic checks of operands against the instruction table, worded as the legacy interpreter's -c does.
#pragma once

#include <span>
#include <string>

#include "bytecode/table/op_info.h"
#include "vm/data/value.h"

namespace nvm::vm {

// Throws Fault kType or kLength if the operands, deepest first, do not fit the instruction; the message has a
// line for each mismatch. The number of operands is right and none is Deferred. `prefix_lengths` (prims.h):
// elementwise instructions take operands of different lengths.
void check_args(Op op, TypeWord word, std::span<const Value> operands, bool prefix_lengths = false);

// The instruction as messages name it: "+", "FOPEN".
[[nodiscard]] std::string op_name(Op op);

}  // namespace nvm::vm
