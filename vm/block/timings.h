// Two ways to make the same calls, timed in turn until they can be compared.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace nvm::vm::block {

enum class Way : std::uint8_t { kGroups, kWhole };

struct Timings {
  // By Way: the best so far, in any unit, and how many there were.
  std::array<double, 2> best = {std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::infinity()};
  std::array<int, 2> runs = {0, 0};

  // Are so many timings each, the best of which are `a` and `b`, enough to compare them? Other work on the
  // processors makes some of them long, so where it is close there must be more.
  [[nodiscard]] static bool enough(int timings, double a, double b) {
    constexpr int kRuns = 2, kMostRuns = 4;
    constexpr double kClose = 1.25;  // times
    return timings >= (std::max(a, b) < kClose * std::min(a, b) ? kMostRuns : kRuns);
  }
  [[nodiscard]] bool settled() const { return enough(std::min(runs[0], runs[1]), best[0], best[1]); }
  // The way that is faster, or to try next, beginning with `first`.
  [[nodiscard]] Way next(Way first) const {
    if (settled()) return best[0] < best[1] ? Way::kGroups : Way::kWhole;
    if (runs[0] == runs[1]) return first;
    return runs[0] < runs[1] ? Way::kGroups : Way::kWhole;
  }
  void note(Way way, double took) {
    const auto i = static_cast<std::size_t>(way);
    best[i] = std::min(best[i], took);
    ++runs[i];
  }
};

}  // namespace nvm::vm::block
