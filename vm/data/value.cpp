#include "vm/data/value.h"

#include <algorithm>

#include "vm/data/pool.h"

namespace nvm::vm {

std::int64_t Vector::int_at(std::int64_t i) const {
  if (!buffer_) return scalar_;
  switch (storage_) {
    case Storage::kI8: return data<std::int8_t>()[i];
    case Storage::kI32: return data<std::int32_t>()[i];
    case Storage::kI64: return data<std::int64_t>()[i];
    case Storage::kF64:
    case Storage::kB8: break;
  }
  NVM_CHECK(false, "an Int vector was expected");
  return 0;
}

Vector int_vector(Pool& pool, std::span<const std::int64_t> elements, Storage storage) {
  if (elements.size() == 1) return Vector::of_int(elements[0]);
  Vector v = pool.vector(storage, static_cast<std::int64_t>(elements.size()));
  const auto fill = [&](auto* to) {
    for (std::size_t i = 0; i < elements.size(); ++i)
      to[i] = static_cast<std::remove_reference_t<decltype(*to)>>(elements[i]);
  };
  switch (storage) {
    case Storage::kI8: fill(v.mutable_data<std::int8_t>()); break;
    case Storage::kI32: fill(v.mutable_data<std::int32_t>()); break;
    case Storage::kI64: fill(v.mutable_data<std::int64_t>()); break;
    case Storage::kF64:
    case Storage::kB8: NVM_CHECK(false, "an Int storage was expected");
  }
  return v;
}

Vector float_vector(Pool& pool, std::span<const double> elements) {
  if (elements.size() == 1) return Vector::of_float(elements[0]);
  Vector v = pool.vector(Storage::kF64, static_cast<std::int64_t>(elements.size()));
  auto* to = v.mutable_data<double>();
  for (std::size_t i = 0; i < elements.size(); ++i) to[i] = elements[i];
  return v;
}

Vector bool_vector(Pool& pool, std::span<const bool> elements) {
  if (elements.size() == 1) return Vector::of_bool(elements[0]);
  Vector v = pool.vector(Storage::kB8, static_cast<std::int64_t>(elements.size()));
  auto* to = v.mutable_data<std::uint8_t>();
  for (std::size_t i = 0; i < elements.size(); ++i) to[i] = elements[i] ? 1 : 0;
  return v;
}

Value make_pair_value(Value left, Value right) {
  const auto depth_of = [](const Value& part) {
    const auto* pair = std::get_if<std::shared_ptr<const PairValue>>(&part);
    return pair == nullptr ? 0 : (*pair)->depth;
  };
  const int depth = 1 + std::max(depth_of(left), depth_of(right));
  if (depth > kDeepestPair)
    throw Fault{Fault::Kind::kRecursion,
                "pairs nested more than " + std::to_string(kDeepestPair) + " deep; use vectors for so many"};
  return std::make_shared<const PairValue>(PairValue{std::move(left), std::move(right), depth});
}

Vector Vector::part(std::int64_t begin, std::int64_t n) const {
  NVM_CHECK(begin >= 0 && n >= 0 && begin <= length_ && n <= length_ - begin, "a part lies within the whole");
  if (n == length_) return *this;
  if (is_repeated() && n > 1) return repeated(repeated_element(), n);
  if (n != 1) return {storage_, n, n == 0 ? BufferRef{} : buffer_, n == 0 ? 0 : scalar_ + begin};
  if (storage_ == Storage::kF64) return of_float(float_at(begin));
  return storage_ == Storage::kB8 ? of_bool(bool_at(begin)) : of_int(int_at(begin));
}

}  // namespace nvm::vm
