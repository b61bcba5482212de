// NVRTC, the run-time compiler of CUDA C++, found at run time.
#pragma once

#include <string>
#include <vector>

namespace nvm::gpu {

// True if NVRTC can be used; `words` says which version and library, or what is missing and how to get it.
[[nodiscard]] bool nvrtc_available(std::string& words);
// "13.0"; empty if there is none. Part of the key of cached code.
[[nodiscard]] std::string nvrtc_version();

struct Compiled {
  std::vector<char> cubin;
  std::string log;  // warnings; if cubin is empty, why it failed
};

// Compiles a source to a cubin for compute capability `arch` (80 for 8.0), or to PTX if NVRTC is older than
// such devices. Needs no device. Thread-safe.
[[nodiscard]] Compiled compile_cuda(const std::string& source, const std::string& name, int arch);
// The same up to PTX, the text before the last step; empty if it failed.
[[nodiscard]] std::string ptx_of_cuda(const std::string& source, int arch);

}  // namespace nvm::gpu
