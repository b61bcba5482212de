// Element access for the host: whatever the storage of a vector, its elements as INT, FLOAT and BOOL.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vm/data/pool.h"
#include "vm/data/value.h"

namespace nvm::vm {

// Calls f(const T*) with the elements of an Int vector in their storage type.
template <typename F>
decltype(auto) with_ints(const Vector& v, F&& f) {
  if (v.is_scalar()) return f(v.data<std::int64_t>());
  switch (v.storage()) {
    case Storage::kI8: return f(v.data<std::int8_t>());
    case Storage::kI32: return f(v.data<std::int32_t>());
    default: return f(v.data<std::int64_t>());
  }
}

// `v` as an INT of `bits` bits holds it.
[[nodiscard]] inline std::int64_t wrap_int(std::int64_t v, IntBits bits) {
  return bits == IntBits::k32 ? static_cast<std::int32_t>(v) : v;
}

// Vectors from host data; Int ones are wrapped to `bits` and stored as narrow as their values allow.
[[nodiscard]] Vector make_ints(Pool& pool, std::span<const std::int64_t> elements, IntBits bits);
[[nodiscard]] Vector make_floats(Pool& pool, std::span<const double> elements);
[[nodiscard]] Vector make_bools(Pool& pool, std::span<const std::uint8_t> elements);
// A character vector: one element per byte, signed as legacy strings are, or 0..255.
[[nodiscard]] Vector make_text(Pool& pool, std::string_view text);
[[nodiscard]] Vector make_bytes(Pool& pool, std::string_view bytes);
// Low 8 bits of each element.
[[nodiscard]] std::string text_of(const Vector& v);

// A descriptor with these lengths. Throws Fault kSegdes if one is negative or the sum overflows.
[[nodiscard]] Segdes make_segdes(Pool& pool, std::span<const std::int64_t> lengths, IntBits bits);

// A constant as programs write it (program.h). Throws as make_segdes.
[[nodiscard]] Value make_constant(TypeWord word, std::span<const std::int64_t> ints,
                                  std::span<const double> floats, Pool& pool, IntBits bits);

// The type of a computed value; not for empty or deferred ones.
[[nodiscard]] Type type_of(const Value& value);

}  // namespace nvm::vm
