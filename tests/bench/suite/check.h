// Results against what they should be. All answer what is wrong, "" if nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vm/lib/nvm.hpp"

namespace nvm::bench {

// |got - want| <= tolerance * max(1, |want|)
[[nodiscard]] std::string near(double got, double want, double tolerance);
[[nodiscard]] std::string near(std::span<const double> got, std::span<const double> want, double tolerance);
[[nodiscard]] std::string equal(std::int64_t got, std::int64_t want);

// Against a part of a value of nvm; Int may be stored in 1, 4 or 8 bytes.
[[nodiscard]] std::string near(const lib::Value& got, std::span<const double> want, double tolerance);
[[nodiscard]] std::string equal(const lib::Value& got, std::span<const std::int64_t> want);
[[nodiscard]] std::string equal(const lib::Value& got, std::span<const std::int32_t> want);

// The first element of a value; NaN or the least integer if it has none of this kind, which no check takes
// for right.
[[nodiscard]] double first_float(const lib::Value& got);
[[nodiscard]] std::int64_t first_int(const lib::Value& got);

// f(elements) with the Int elements as they are stored; false if the value has none.
template <typename F>
bool with_ints(const lib::Value& value, F f) {
  if (value.kind() != lib::Kind::kInt) return false;
  if (value.size() < 2) {  // which need not lie anywhere
    const std::vector<std::int64_t> few = value.ints();
    return f(std::span<const std::int64_t>(few)), true;
  }
  if (const auto v = value.view<std::int64_t>()) return f(*v), true;
  if (const auto v = value.view<std::int32_t>()) return f(*v), true;
  if (const auto v = value.view<std::int8_t>()) return f(*v), true;
  return false;
}

// A copy of the Int elements, or of the lengths of a descriptor; empty of anything else.
[[nodiscard]] std::vector<std::int64_t> all_ints(const lib::Value& value);

}  // namespace nvm::bench
