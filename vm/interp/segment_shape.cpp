#include "vm/interp/segment_shape.h"

#include <algorithm>
#include <bit>

namespace nvm::vm {

void SegmentShape::add(const SegmentShape& other) {
  segments += other.segments;
  elements += other.elements;
  longest = std::max(longest, other.longest);
  sampled |= other.sampled;
  for (std::size_t k = 0; k < histogram.size(); ++k) histogram[k] += other.histogram[k];
}

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

}  // namespace nvm::vm
