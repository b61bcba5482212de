// Counts of the ways to execute that are faster than the plain one (fast_paths.def). A count costs an
// increment for each vector operation, never for each element.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nvm::vm {

enum class FastPath : std::uint8_t {
#define FAST_PATH(id, name) id,
#include "vm/data/fast_paths.def"
};

inline constexpr std::string_view kFastPathNames[] = {
#define FAST_PATH(id, name) name,
#include "vm/data/fast_paths.def"
};
inline constexpr std::size_t kFastPaths = std::size(kFastPathNames);

// How often each was taken. One thread counts at a time; any may read.
class FastPathCounts {
 public:
  void count(FastPath path, std::uint64_t times = 1) {
    auto& n = counts_[static_cast<std::size_t>(path)];
    n.store(n.load(std::memory_order_relaxed) + times, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t operator[](FastPath path) const {
    return counts_[static_cast<std::size_t>(path)].load(std::memory_order_relaxed);
  }
  // Takes over those of another, which are 0 then. Several threads may, at once.
  void take(FastPathCounts& other) {
    for (std::size_t i = 0; i < kFastPaths; ++i)
      if (const std::uint64_t n = other.counts_[i].load(std::memory_order_relaxed); n != 0) {
        counts_[i].fetch_add(n, std::memory_order_relaxed);
        other.counts_[i].store(0, std::memory_order_relaxed);
      }
  }

 private:
  std::array<std::atomic<std::uint64_t>, kFastPaths> counts_{};
};

}  // namespace nvm::vm
