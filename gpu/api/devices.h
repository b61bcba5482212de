// What there is to run on, in words: `nvm devices`.
#pragma once

#include <string>
#include <vector>

namespace nvm::gpu {

struct DeviceInfo {
  int ordinal = 0;
  std::string name;
  int arch = 0;            // 90 for compute capability 9.0
  std::size_t memory = 0;  // bytes
  int multiprocessors = 0;
};

// The devices the driver shows; empty, with a reason in words, if there is none.
[[nodiscard]] std::vector<DeviceInfo> find_devices(std::string& reason);
// Driver, NVRTC and devices, one a line, with what is missing and how to get it.
[[nodiscard]] std::string describe_devices();

}  // namespace nvm::gpu
