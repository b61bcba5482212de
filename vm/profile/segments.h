// What a call of a lifted function gets: how many instances, and how long their segments are.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
};

// Looks at no more than `most` lengths.
[[nodiscard]] SegmentShape shape_of(const Segdes& segdes, std::int64_t most);
// "0", "1", "2-3", "4-7", ...
[[nodiscard]] std::string histogram_label(std::size_t k);
// {"0":3,"2-3":17}: the buckets that are not empty.
[[nodiscard]] std::string histogram_json(const SegmentShape& shape);

// The descriptor that says how long the instances of a call are: that of its first vector of instances, or
// the frame if there is none. No value if the function is not lifted. May be Deferred.
[[nodiscard]] const Value* instances_of(const ssa::Function& function, std::span<const Value> arguments);

// A descriptor that may only be promised yet. Does not keep it alive: a promise that nobody else holds is not
// computed, with an observer or without.
class SegdesLater {
 public:
  explicit SegdesLater(const Value& value);
  // The descriptor; null if it is not computed yet. Valid while this object is not copied to.
  [[nodiscard]] const Segdes* get();
  [[nodiscard]] bool gone() const { return !known_ && promise_.expired(); }

 private:
  std::optional<Segdes> known_;
  std::weak_ptr<Deferred> promise_;
};

}  // namespace nvm::vm
