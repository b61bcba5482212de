// A wish to stop, for stages that may take seconds: they look at a flag from time to time.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

namespace nvm {

// Thrown where the wish is seen; what was being made is given up.
struct Cancelled : std::exception {
  enum class Why : std::uint8_t { kAsked, kTime };
  explicit Cancelled(Why w = Why::kAsked) : why(w) {}
  [[nodiscard]] const char* what() const noexcept override {
    return why == Why::kTime ? "time limit reached" : "interrupted";
  }
  Why why;
};

// `flag` may be null: nobody can wish it.
inline void check_cancelled(const std::atomic<bool>* flag) {
  if (flag != nullptr && flag->load(std::memory_order_relaxed)) throw Cancelled{};
}

}  // namespace nvm
