// How Linux perf learns the names of generated code.
#pragma once

#include <cstdint>

namespace nvm::vm::cpu {

// kMap: lines in /tmp/perf-<pid>.map. kDump: jit-<pid>.dump in the current folder, with the code itself
// (jit_dump.h).
enum class Perf : std::uint8_t { kOff, kMap, kDump };

}  // namespace nvm::vm::cpu
