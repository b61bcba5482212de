#include "vm/block/split.h"

#include <algorithm>

#include "bytecode/base/stack.h"
#include "vm/prims/operands.h"

namespace nvm::vm::block {

namespace {

using Kind = ssa::Split::Kind;

// Elements or segments; -1 for anything else.
std::int64_t length_of(const Value& value) {
  if (const auto* v = std::get_if<Vector>(&value)) return v->length();
  if (const auto* s = std::get_if<Segdes>(&value)) return s->segments();
  return -1;
}

std::int64_t element_bytes(const Value& value) {
  if (const auto* v = std::get_if<Vector>(&value))
    return static_cast<std::int64_t>(storage_bytes(v->storage()));
  const auto* s = std::get_if<Segdes>(&value);
  return s != nullptr && !s->is_regular() ? static_cast<std::int64_t>(sizeof(std::int64_t)) : 0;
}

}  // namespace

Vector slice(const Vector& v, std::int64_t from, std::int64_t to) {
  if (from == 0 && to == v.length()) return v;
  if (to - from != 1) {
    if (to == from) return Vector(v.storage(), 0, BufferRef());
    const std::int64_t offset =
        (v.place() - v.buffer().get()->bytes) / static_cast<std::int64_t>(storage_bytes(v.storage()));
    return Vector(v.storage(), to - from, v.buffer(), offset + from);
  }
  switch (v.type()) {
    case Type::kFloat: return Vector::of_float(v.float_at(from));
    case Type::kBool: return Vector::of_bool(v.bool_at(from));
    default: return Vector::of_int(v.int_at(from));
  }
}

Vector narrowed(const PrimContext& context, const Vector& v) {
  constexpr std::int64_t kStep = 4096;
  if (v.storage() != Storage::kI64 || v.length() < 2 || v.is_repeated()) return v;
  const kernels::Table& t = kernel_table(context.isa);
  const auto* from = v.data<std::int64_t>();
  for (std::int64_t i = 0; i < v.length(); i += kStep) {
    std::int64_t range[2];
    t.index_range[1](from + i, std::min(kStep, v.length() - i), range);
    if (range[0] != static_cast<std::int32_t>(range[0]) || range[1] != static_cast<std::int32_t>(range[1]))
      return v;
  }
  Vector narrow = context.pool->vector(Storage::kI32, v.length());
  t.convert[static_cast<int>(Storage::kI64)][static_cast<int>(Storage::kI32)](
      from, narrow.mutable_data<std::int32_t>(), v.length());
  return narrow;
}

Segdes slice(const Segdes& s, std::int64_t from, std::int64_t to, Pool& pool) {
  if (s.is_regular()) return Segdes::regular(to - from, s.regular_length());
  return Segdes::from_lengths(slice(s.lengths(pool), from, to), s.offset(to) - s.offset(from));
}

std::optional<Layout> Layout::of(std::span<const ssa::Split> splits, std::span<const Value> arguments) {
  Layout layout(splits, arguments);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (splits[i].kind != Kind::kFrame) continue;
    const auto* frame = std::get_if<Segdes>(&arguments[i]);
    if (frame == nullptr || frame->segments() != 1) return std::nullopt;
    layout.instances_ = frame->total();
  }
  if (!layout.fits()) return std::nullopt;
  return layout;
}

bool Layout::fits() const {
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    if (splits_[i].kind == Kind::kInstances && length_of(arguments_[i]) != instances_) return false;
    if (splits_[i].kind != Kind::kUnder) continue;
    const auto* above = std::get_if<Segdes>(&arguments_[static_cast<std::size_t>(splits_[i].under)]);
    if (above == nullptr || length_of(arguments_[i]) != above->total()) return false;
  }
  return true;
}

std::int64_t Layout::begin(std::size_t i, std::int64_t k) const {
  check_stack();
  if (splits_[i].kind != Kind::kUnder) return k;
  const auto above = static_cast<std::size_t>(splits_[i].under);
  return std::get<Segdes>(arguments_[above]).offset(begin(above, k));
}

std::int64_t Layout::bytes_before(std::int64_t k) const {
  std::int64_t bytes = k;
  for (std::size_t i = 0; i < splits_.size(); ++i)
    if (splits_[i].kind == Kind::kInstances || splits_[i].kind == Kind::kUnder)
      bytes += begin(i, k) * element_bytes(arguments_[i]);
  return bytes;
}

std::int64_t Layout::instances_of(std::int64_t bytes) const {
  std::int64_t low = 0;
  std::int64_t high = instances_;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (bytes_before(middle) < bytes)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::vector<std::int64_t> Layout::bounds(std::int64_t groups) const {
  const std::int64_t all = bytes();
  std::vector<std::int64_t> bounds = {0};
  for (std::int64_t g = 1; g < groups; ++g) {
    const std::int64_t bound = instances_of(all / groups * g + all % groups * g / groups);
    if (bound > bounds.back() && bound < instances_) bounds.push_back(bound);
  }
  if (instances_ > 0) bounds.push_back(instances_);
  return bounds;
}

std::vector<Value> Layout::group(std::int64_t first, std::int64_t last, Pool& pool) const {
  std::vector<Value> part;
  part.reserve(splits_.size());
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    const Value& whole = arguments_[i];
    if (splits_[i].kind == Kind::kSame) {
      part.push_back(whole);
    } else if (splits_[i].kind == Kind::kFrame) {
      part.emplace_back(Segdes::regular(1, last - first));
    } else if (const auto* v = std::get_if<Vector>(&whole)) {
      part.emplace_back(slice(*v, begin(i, first), begin(i, last)));
    } else {
      part.emplace_back(slice(std::get<Segdes>(whole), begin(i, first), begin(i, last), pool));
    }
  }
  return part;
}

}  // namespace nvm::vm::block
