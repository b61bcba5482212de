// Small steps of loops are made as usual at first; if there are many, both ways in turn, twice each, and then
// as was faster: nothing is computed for the measurement alone, and it is a small part of all.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>

#include "bytecode/ssa/ssa.h"

namespace nvm::vm::block {

enum class Way : std::uint8_t { kGroups, kWhole };

class Trials {
 public:
  // Calls within a factor of two in instances and bytes are of one kind.
  struct Kind {
    Kind(ssa::FunctionId f, std::int64_t count, std::int64_t size)
        : function(f), instances(class_of(count)), bytes(class_of(size)) {}
    friend auto operator<=>(const Kind&, const Kind&) = default;
    ssa::FunctionId function;
    int instances, bytes;

   private:
    static int class_of(std::int64_t n) {
      return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0))));
    }
  };

  // Counts a call. Have there been too few to begin trying?
  [[nodiscard]] bool waits(const Kind& kind) { return of(kind).seen++ < kPatience; }
  // Has it been tried enough?
  [[nodiscard]] bool settled(const Kind& kind) {
    return std::min(of(kind).runs[0], of(kind).runs[1]) == kRuns;
  }
  // The way that is faster, or to try next, beginning with `first`.
  [[nodiscard]] Way next(const Kind& kind, Way first) {
    const Known& k = of(kind);
    if (settled(kind)) return k.best[0] < k.best[1] ? Way::kGroups : Way::kWhole;
    if (k.runs[0] == k.runs[1]) return first;
    return k.runs[0] < k.runs[1] ? Way::kGroups : Way::kWhole;
  }
  void note(const Kind& kind, Way way, double seconds_per_byte) {
    Known& k = of(kind);
    const auto i = static_cast<std::size_t>(way);
    k.best[i] = std::min(k.best[i], seconds_per_byte);
    k.runs[i] = std::min(k.runs[i] + 1, kRuns);
  }

 private:
  static constexpr int kRuns = 2;
  static constexpr std::int64_t kPatience = 32;
  struct Known {
    std::array<double, 2> best = {std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::infinity()};
    std::array<int, 2> runs = {0, 0};
    std::int64_t seen = 0;
  };
  Known& of(const Kind& kind) { return known_[kind]; }

  std::map<Kind, Known> known_;
};

}  // namespace nvm::vm::block
