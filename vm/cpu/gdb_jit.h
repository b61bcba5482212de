// Generated code announced to gdb through its JIT interface: an object file in memory for each piece of code,
// with one symbol, so that backtraces name kernels by source line.
#pragma once

#include <cstddef>
#include <string>

namespace nvm::vm::cpu {

// `code` is taken back by forget(), before its memory is used for something else. On any thread.
void announce_to_gdb(const void* code, std::size_t bytes, const std::string& name);
void forget_in_gdb(const void* code);

}  // namespace nvm::vm::cpu
