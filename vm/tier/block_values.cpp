#include "vm/tier/block_values.h"

#include <algorithm>
#include <cstring>

namespace nvm::vm {

namespace {

// f of a pointer to INTs of this storage.
template <typename F>
auto with_ints(const void* data, Storage storage, F f) {
  if (storage == Storage::kI8) return f(static_cast<const std::int8_t*>(data));
  if (storage == Storage::kI32) return f(static_cast<const std::int32_t*>(data));
  return f(static_cast<const std::int64_t*>(data));
}

}  // namespace

bool BlockValues::make(Register& to, std::int64_t count, std::size_t size) {
  to.memory = arena_.allocate(ByteCount::of(count, size));
  if (to.memory == nullptr) return false;
  to.data = to.memory->data();
  return true;
}

bool BlockValues::enter(const Value& value, Type type, Register& to) {
  to = {};
  if (const auto* s = std::get_if<Segdes>(&value); s != nullptr && !s->is_unread()) {
    to.length = s->segments();
    to.total = s->total();
    to.each = s->regular_length();
    if (!s->is_regular()) to.data = const_cast<std::int64_t*>(s->offsets());
    return true;
  }
  const auto* v = std::get_if<Vector>(&value);
  if (v == nullptr || v->is_repeated()) return false;
  to.length = v->length();
  if (v->is_scalar() && type == Type::kFloat) to.real = v->scalar_float();
  if (v->is_scalar() && type != Type::kFloat) to.number = v->scalar_int();
  if (v->length() <= 1) return true;
  if (v->storage() != widest(type)) return widen(*v, widest(type), to);
  to.data = const_cast<std::byte*>(v->raw());
  return true;
}

bool BlockValues::copy(const Value& vector, Type type, Register& to) {
  if (!enter(vector, type, to)) return false;
  if (to.memory != nullptr || to.data == nullptr) return true;
  const void* from = to.data;
  const std::size_t size = storage_bytes(widest(type));
  if (!make(to, to.length, size)) return false;
  std::memcpy(to.data, from, static_cast<std::size_t>(to.length) * size);
  return true;
}

bool BlockValues::widen(const Vector& from, Storage storage, Register& to) {
  if (!make(to, from.length(), storage_bytes(storage))) return false;
  with_ints(from.raw(), from.storage(), [&](const auto* p) {
    if (storage == Storage::kI32)
      std::transform(p, p + from.length(), static_cast<std::int32_t*>(to.data),
                     [](auto x) { return static_cast<std::int32_t>(x); });
    else
      std::copy(p, p + from.length(), static_cast<std::int64_t*>(to.data));
  });
  return true;
}

Value BlockValues::leave(const Register& from, Type type, Pool& pool) const {
  if (type == Type::kSegdes) {
    if (from.length <= 1) return Segdes::regular(from.length, from.total);
    if (from.data == nullptr) return Segdes::regular(from.length, from.each);
    Vector lengths = pool.vector(Storage::kI64, from.length);
    const std::int64_t* offsets = from.offsets();
    std::transform(offsets + 1, offsets + from.length + 1, offsets, lengths.mutable_data<std::int64_t>(),
                   [](std::int64_t end, std::int64_t begin) { return end - begin; });
    return Segdes::from_lengths(std::move(lengths), from.total);
  }
  if (from.length == 1) {
    if (type == Type::kFloat) return Vector::of_float(from.real);
    return type == Type::kBool ? Vector::of_bool(from.number != 0) : Vector::of_int(from.number);
  }
  Vector v = pool.vector(widest(type), from.length);
  if (from.length > 0)
    std::memcpy(v.mutable_data<std::byte>(), from.data,
                static_cast<std::size_t>(from.length) * storage_bytes(v.storage()));
  return v;
}

bool BlockValues::spell_out(Register& segments) {
  if (segments.data != nullptr) return true;
  const std::int64_t each = segments.each;
  if (!make(segments, segments.length + 1, sizeof(std::int64_t))) return false;
  for (std::int64_t k = 0; k <= segments.length; ++k) segments.offsets()[k] = k * each;
  return true;
}

bool BlockValues::lengths_of(const Register& segments, Register& to) {
  to = {};
  to.length = segments.length;
  if (to.length == 1) to.number = segments.total;
  if (to.length <= 1) return true;
  const Storage storage = widest(Type::kInt);
  if (!make(to, to.length, storage_bytes(storage))) return false;
  const auto fill = [&](auto* p) {
    using Int = std::remove_pointer_t<decltype(p)>;
    if (segments.data == nullptr) {
      std::fill_n(p, to.length, static_cast<Int>(segments.each));
      return;
    }
    const std::int64_t* offsets = segments.offsets();
    for (std::int64_t k = 0; k < to.length; ++k) p[k] = static_cast<Int>(offsets[k + 1] - offsets[k]);
  };
  if (storage == Storage::kI32)
    fill(static_cast<std::int32_t*>(to.data));
  else
    fill(static_cast<std::int64_t*>(to.data));
  return true;
}

bool BlockValues::segments_of(const plan::Array& lengths, Register& to) {
  to = {};
  to.length = lengths.length;
  if (to.length <= 1) {
    to.each = to.total = to.length == 1 ? lengths.scalar : 0;
    return is_length(to.total);
  }
  if (!make(to, to.length + 1, sizeof(std::int64_t))) return false;
  std::int64_t* offsets = to.offsets();
  const bool fits = with_ints(lengths.data, lengths.storage, [&](const auto* p) {
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < to.length; ++k) {
      offsets[k] = sum;
      if (length_of_both(sum, p[k]) == kTooLong) return false;
      sum += p[k];
    }
    offsets[to.length] = to.total = sum;
    return true;
  });
  if (!fits) arena_.release(to.memory);
  return fits;
}

}  // namespace nvm::vm
