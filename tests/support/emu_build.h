// Builds CUDA sources for the host against tests/emu/cuda_emu.h.
#pragma once

#include <string>

namespace nvm::testing {

// By content, of source and header.
[[nodiscard]] std::string name_of_source(const std::string& source);
// The path of a shared object whose kernels are emu_<name>(args, blocks, threads), built now or before;
// empty, with the reason in `log`, if it does not compile. Processes may build at once.
[[nodiscard]] std::string build_emulated(const std::string& source, std::string& log);

}  // namespace nvm::testing
