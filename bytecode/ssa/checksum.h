// What tells one code from another.
#pragma once

#include <cstdint>

#include "bytecode/ssa/ssa.h"

namespace nvm::ssa {

// Of all that is executed: functions, blocks, instructions and constants, without names and positions. Of an
// input that the run gives, only that it is one.
[[nodiscard]] std::uint64_t checksum(const Module& module);

}  // namespace nvm::ssa
