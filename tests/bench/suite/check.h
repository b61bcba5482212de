// Results against what they should be. All answer what is wrong, "" if nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>

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

// f(elements) with the Int elements as they are stored; false if the value has none.
template <typename F>
bool with_ints(const lib::Value& value, F f) {
  if (const auto v = value.view<std::int64_t>()) return f(*v), true;
  if (const auto v = value.view<std::int32_t>()) return f(*v), true;
  if (const auto v = value.view<std::int8_t>()) return f(*v), true;
  return false;
}

// A hash of a sequence that does not depend on its order.
template <typename T>
[[nodiscard]] std::uint64_t multiset_hash(std::span<const T> v) {
  std::uint64_t sum = 0;
  for (const T x : v) {
    auto u = (static_cast<std::uint64_t>(x) + 1) * 0x9e3779b97f4a7c15ULL;
    u = (u ^ (u >> 29)) * 0xbf58476d1ce4e5b9ULL;
    sum += u ^ (u >> 32);
  }
  return sum;
}

}  // namespace nvm::bench
