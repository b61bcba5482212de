// When a kernel ran on a device beside the host, on the host's clock.
#pragma once

#include <chrono>

namespace nvm {

struct DeviceTimes {
  std::chrono::steady_clock::time_point asked;  // for it by the host
  std::chrono::steady_clock::time_point begun;
  double seconds = 0;
};

}  // namespace nvm
