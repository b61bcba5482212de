// What this machine can do at most: bytes a second to and from memory, and scalar operations a second.
#pragma once

#include <string>

namespace nvm::vm {

struct MachineLimits {
  double bytes_per_second = 0;       // read and written, streaming, all threads
  double operations_per_second = 0;  // 64-bit floating point, from registers, all threads
  int threads = 0;
};

// Takes about half a second and 200 MB.
[[nodiscard]] MachineLimits measure_machine(int threads);

// What the system calls the processor, as "AMD EPYC 9R14", or "unknown".
[[nodiscard]] std::string processor_model();

// The limits measured before on this machine with so many threads, kept in `folder`; else measures and keeps
// them. A folder that cannot be read or written does not matter: then they are measured every time.
[[nodiscard]] MachineLimits machine_limits(int threads, const std::string& folder);

// $XDG_CACHE_HOME/nvm, or ~/.cache/nvm; "" if there is neither.
[[nodiscard]] std::string cache_folder();

}  // namespace nvm::vm
