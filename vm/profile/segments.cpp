#include "vm/profile/segments.h"

#include <algorithm>
#include <bit>

#include "vm/profile/json.h"
#include "vm/trace/deferred.h"

namespace nvm::vm {

SegmentShape shape_of(const Segdes& segdes, std::int64_t most) {
  SegmentShape shape;
  shape.segments = segdes.segments();
  shape.elements = segdes.total();
  const auto bucket = [](std::int64_t length) {
    return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length))),
                                 SegmentShape{}.histogram.size() - 1);
  };
  if (segdes.is_regular()) {
    shape.longest = shape.segments > 0 ? segdes.regular_length() : 0;
    if (shape.segments > 0) shape.histogram[bucket(shape.longest)] = shape.segments;
    return shape;
  }
  const std::int64_t step = std::max<std::int64_t>((shape.segments + most - 1) / most, 1);
  shape.sampled = step > 1;
  for (std::int64_t s = 0; s < shape.segments; s += step) {
    const std::int64_t length = segdes.length_at(s);
    shape.longest = std::max(shape.longest, length);
    shape.histogram[bucket(length)] += std::min(step, shape.segments - s);
  }
  return shape;
}

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

const Value* instances_of(const ssa::Function& function, std::span<const Value> arguments) {
  const ssa::LiftedInfo& info = function.lifted;
  if (!info.lifted && !info.claimed) return nullptr;
  const auto is_segdes = [&](const Value& v) {
    const auto i = static_cast<std::size_t>(&v - arguments.data());
    const auto id = function.blocks.front().parameters[i];
    return function.value_types[static_cast<std::size_t>(id)] == Type::kSegdes;
  };
  const Value* frame = nullptr;
  for (std::size_t i = 0; i < arguments.size() && i < info.parameters.size(); ++i) {
    if (info.parameters[i].kind == ssa::Split::Kind::kFrame) frame = &arguments[i];
    if (info.parameters[i].kind == ssa::Split::Kind::kInstances && is_segdes(arguments[i]))
      return &arguments[i];
  }
  return frame;
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
