#include "vm/profile/segments.h"

#include "vm/profile/json.h"
#include "vm/trace/deferred.h"

namespace nvm::vm {

std::string histogram_label(std::size_t k) {
  if (k < 2) return std::to_string(k);
  const std::int64_t from = std::int64_t{1} << (k - 1);
  return std::to_string(from) + "-" + std::to_string(2 * from - 1);
}

std::string histogram_json(const SegmentShape& shape) {
  JsonObject out;
  for (std::size_t k = 0; k < shape.histogram.size(); ++k)
    if (shape.histogram[k] > 0) out.add(histogram_label(k), shape.histogram[k]);
  return out.text();
}

SegdesLater::SegdesLater(const Value& value) {
  if (const auto* s = std::get_if<Segdes>(&value)) known_ = *s;
  if (const auto* d = std::get_if<std::shared_ptr<Deferred>>(&value)) promise_ = *d;
}

const Segdes* SegdesLater::get() {
  if (known_) return &*known_;
  const std::shared_ptr<Deferred> promise = promise_.lock();
  if (promise == nullptr || !promise->computed()) return nullptr;
  if (const auto* s = std::get_if<Segdes>(&promise->value())) known_ = *s;
  return known_ ? &*known_ : nullptr;
}

}  // namespace nvm::vm
