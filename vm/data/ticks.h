// The cheapest clock there is: ticks of the processor's counter, which runs at one speed, or nanoseconds.
// Only ratios mean something.
#pragma once

#include <chrono>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace nvm::vm {

[[nodiscard]] inline std::int64_t ticks() {
#if defined(__x86_64__)
  return static_cast<std::int64_t>(__rdtsc());
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

}  // namespace nvm::vm
