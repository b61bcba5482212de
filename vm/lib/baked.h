// Programs with the values of their inputs written out.
#pragma once

#include <span>

#include "bytecode/program/program.h"
#include "vm/data/value.h"

namespace nvm::vm {

// `values` are those of the program's inputs (Constant::input), by number.
[[nodiscard]] Program with_values(Program program, std::span<const Value> values);

}  // namespace nvm::vm
