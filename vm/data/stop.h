// Why a run is asked to stop, from another thread or a signal handler: looked at between instructions, and
// between the chunks of those that take long.
#pragma once

#include <atomic>
#include <cstdint>

#include "vm/data/value.h"

namespace nvm::vm {

enum class Stop : std::uint8_t { kNo, kInterrupt, kTime };

[[nodiscard]] inline Fault stop_fault(Stop why) {
  if (why == Stop::kTime) return {Fault::Kind::kTime, "time limit reached"};
  return {Fault::Kind::kInterrupted, "interrupted"};
}

// `flag` may be null: nobody can ask.
[[nodiscard]] inline bool asked(const std::atomic<Stop>* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed) != Stop::kNo;
}
// Throws Fault if somebody has asked.
inline void check_stop(const std::atomic<Stop>* flag) {
  if (asked(flag)) [[unlikely]]
    throw stop_fault(flag->load());
}

}  // namespace nvm::vm
