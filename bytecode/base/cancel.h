// A wish to stop, for stages that may take seconds: they look at a flag from time to time.
#pragma once

#include <atomic>

namespace nvm {

// Thrown where the wish is seen; what was being made is given up.
struct Cancelled {};

// `flag` may be null: nobody can wish it.
inline void check_cancelled(const std::atomic<bool>* flag) {
  if (flag != nullptr && flag->load(std::memory_order_relaxed)) throw Cancelled{};
}

}  // namespace nvm
