// Segments of calls as reports show them, and those that are promised only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vm/data/value.h"
#include "vm/interp/segment_shape.h"

namespace nvm::vm {

// "0", "1", "2-3", "4-7", ...
[[nodiscard]] std::string histogram_label(std::size_t k);
// {"0":3,"2-3":17}: the buckets that are not empty.
[[nodiscard]] std::string histogram_json(const SegmentShape& shape);

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
