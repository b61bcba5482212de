#include "vm/interp/elements.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

namespace nvm::vm {

namespace {

std::int64_t length_of(std::size_t n) { return static_cast<std::int64_t>(n); }

// The narrowest storage for values between lo and hi.
Storage storage_for(std::int64_t lo, std::int64_t hi, IntBits bits) {
  if (lo >= -128 && hi <= 127) return Storage::kI8;
  const bool fits =
      lo >= std::numeric_limits<std::int32_t>::min() && hi <= std::numeric_limits<std::int32_t>::max();
  return fits || bits == IntBits::k32 ? Storage::kI32 : Storage::kI64;
}

template <typename T>
void fill(Vector& v, std::span<const std::int64_t> elements) {
  T* out = v.mutable_data<T>();
  for (std::size_t i = 0; i < elements.size(); ++i) out[i] = static_cast<T>(elements[i]);
}

template <typename T>
Vector raw_vector(Pool& pool, Storage storage, const T* elements, std::size_t n) {
  Vector v = pool.vector(storage, length_of(n));
  if (n > 0) std::memcpy(v.mutable_data<T>(), elements, n * sizeof(T));
  return v;
}

}  // namespace

Vector make_ints(Pool& pool, std::span<const std::int64_t> elements, IntBits bits) {
  if (elements.size() == 1) return Vector::of_int(wrap_int(elements[0], bits));
  std::int64_t lo = 0, hi = 0;
  for (const std::int64_t e : elements) {
    lo = std::min(lo, wrap_int(e, bits));
    hi = std::max(hi, wrap_int(e, bits));
  }
  Vector v = pool.vector(storage_for(lo, hi, bits), length_of(elements.size()));
  switch (v.storage()) {
    case Storage::kI8: fill<std::int8_t>(v, elements); break;
    case Storage::kI32: fill<std::int32_t>(v, elements); break;
    default: fill<std::int64_t>(v, elements); break;
  }
  return v;
}

Vector make_floats(Pool& pool, std::span<const double> elements) {
  if (elements.size() == 1) return Vector::of_float(elements[0]);
  return raw_vector(pool, Storage::kF64, elements.data(), elements.size());
}

Vector make_bools(Pool& pool, std::span<const std::uint8_t> elements) {
  if (elements.size() == 1) return Vector::of_bool(elements[0] != 0);
  Vector v = pool.vector(Storage::kB8, length_of(elements.size()));
  auto* out = v.mutable_data<std::uint8_t>();
  for (std::size_t i = 0; i < elements.size(); ++i) out[i] = elements[i] != 0 ? 1 : 0;
  return v;
}

Vector make_text(Pool& pool, std::string_view text) {
  if (text.size() == 1) return Vector::of_int(static_cast<signed char>(text[0]));
  return raw_vector(pool, Storage::kI8, text.data(), text.size());
}

Vector make_bytes(Pool& pool, std::string_view bytes) {
  const bool ascii =
      std::all_of(bytes.begin(), bytes.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  if (ascii) return make_text(pool, bytes);
  if (bytes.size() == 1) return Vector::of_int(static_cast<unsigned char>(bytes[0]));
  Vector v = pool.vector(Storage::kI32, length_of(bytes.size()));
  auto* out = v.mutable_data<std::int32_t>();
  for (std::size_t i = 0; i < bytes.size(); ++i) out[i] = static_cast<unsigned char>(bytes[i]);
  return v;
}

std::string text_of(const Vector& v) {
  std::string text(static_cast<std::size_t>(v.length()), '\0');
  with_ints(v, [&text](const auto* p) {
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(p[i]);
  });
  return text;
}

Segdes make_segdes(Pool& pool, std::span<const std::int64_t> lengths, IntBits bits) {
  std::int64_t total = 0;
  for (const std::int64_t length : lengths) {
    if (length < 0)
      throw Fault{Fault::Kind::kSegdes, "segment length " + std::to_string(length) + " is negative"};
    total = length_of_both(total, length);
    if (total >= too_long(bits))
      throw Fault{Fault::Kind::kSegdes,
                  bits == IntBits::k32 ? "the segment lengths add up to more than INT of 32 bits can count"
                                       : "the segment lengths add up to more than memory can hold"};
  }
  return Segdes::from_lengths(make_ints(pool, lengths, bits), total);
}

Value make_constant(TypeWord word, std::span<const std::int64_t> ints, std::span<const double> floats,
                    Pool& pool, IntBits bits) {
  switch (word) {
    case TypeWord::kFloat: return make_floats(pool, floats);
    case TypeWord::kBool: return make_bools(pool, std::vector<std::uint8_t>(ints.begin(), ints.end()));
    case TypeWord::kSegdes: return make_segdes(pool, ints, bits);
    default: return make_ints(pool, ints, bits);
  }
}

Type type_of(const Value& value) {
  if (const auto* v = std::get_if<Vector>(&value)) return v->type();
  if (std::holds_alternative<Segdes>(value)) return Type::kSegdes;
  NVM_CHECK(std::holds_alternative<std::shared_ptr<const PairValue>>(value),
            "an empty or deferred value has no type");
  return Type::kPair;
}

}  // namespace nvm::vm
