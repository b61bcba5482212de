// What a call of a lifted function gets: how many instances, and how long their segments are.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bytecode/ssa/ssa.h"
#include "vm/data/value.h"

namespace nvm::vm {

struct SegmentShape {
  std::int64_t segments = 0;
  std::int64_t elements = 0;
  std::int64_t longest = 0;  // of those looked at
  bool sampled = false;      // the histogram is that of a sample, scaled
  // [0]: empty ones; [k]: lengths 2^(k-1) .. 2^k - 1.
  std::array<std::int64_t, 40> histogram{};

  void add(const SegmentShape& other);
};

// Looks at no more than `most` lengths.
[[nodiscard]] SegmentShape shape_of(const Segdes& segdes, std::int64_t most);

// The descriptor that says how long the instances of a call are: that of its first vector of instances, or
// the frame if there is none. No value if the function is not lifted. May be Deferred.
[[nodiscard]] const Value* instances_of(const ssa::Function& function, std::span<const Value> arguments);

}  // namespace nvm::vm
