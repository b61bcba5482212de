// Ranges for NVIDIA's profilers (NVTX). The library is opened at run time; without it they are nothing.
#pragma once

#include <string>

namespace nvm::gpu {

// What this thread asks of the device while it lives, by name.
class NvtxRange {
 public:
  explicit NvtxRange(const std::string& name);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace nvm::gpu
