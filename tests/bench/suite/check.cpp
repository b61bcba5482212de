#include "tests/bench/suite/check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nvm::bench {

namespace {

std::string at(std::size_t i, const std::string& got, const std::string& want) {
  return "element " + std::to_string(i) + " is " + got + ", not " + want;
}

std::string sizes(std::size_t got, std::size_t want) {
  return got == want ? "" : std::to_string(got) + " elements, not " + std::to_string(want);
}

bool is_near(double got, double want, double tolerance) {
  return std::abs(got - want) <= tolerance * std::max(1.0, std::abs(want));
}

template <typename T>
std::string equal_elements(const lib::Value& got, std::span<const T> want) {
  if (std::string wrong = sizes(static_cast<std::size_t>(got.size()), want.size()); !wrong.empty())
    return wrong;
  std::string wrong;
  const bool ints = with_ints(got, [&](const auto& v) {
    for (std::size_t i = 0; i < want.size() && wrong.empty(); ++i)
      if (static_cast<std::int64_t>(v[i]) != static_cast<std::int64_t>(want[i]))
        wrong = at(i, std::to_string(v[i]), std::to_string(want[i]));
  });
  return ints ? wrong : "no vector of INT";
}

}  // namespace

std::string near(double got, double want, double tolerance) {
  return is_near(got, want, tolerance) ? "" : std::to_string(got) + " instead of " + std::to_string(want);
}

std::string near(std::span<const double> got, std::span<const double> want, double tolerance) {
  if (std::string wrong = sizes(got.size(), want.size()); !wrong.empty()) return wrong;
  for (std::size_t i = 0; i < want.size(); ++i)
    if (!is_near(got[i], want[i], tolerance)) return at(i, std::to_string(got[i]), std::to_string(want[i]));
  return "";
}

std::string equal(std::int64_t got, std::int64_t want) {
  return got == want ? "" : std::to_string(got) + " instead of " + std::to_string(want);
}

std::string near(const lib::Value& got, std::span<const double> want, double tolerance) {
  if (got.kind() == lib::Kind::kFloat && got.size() < 2) {  // which need not lie anywhere
    const double one[] = {got.size() == 1 ? got.float_at(0) : 0.0};
    return near(std::span(one).first(static_cast<std::size_t>(got.size())), want, tolerance);
  }
  const auto v = got.view<double>();
  return v && got.kind() == lib::Kind::kFloat ? near(*v, want, tolerance) : "no vector of FLOAT";
}

double first_float(const lib::Value& got) {
  return got.kind() == lib::Kind::kFloat && got.size() > 0 ? got.float_at(0) : std::nan("");
}
std::int64_t first_int(const lib::Value& got) {
  const bool number = got.kind() == lib::Kind::kInt || got.kind() == lib::Kind::kSegdes;
  return number && got.size() > 0 ? got.int_at(0) : std::numeric_limits<std::int64_t>::min();
}

std::vector<std::int64_t> all_ints(const lib::Value& value) {
  const bool some = value.kind() == lib::Kind::kInt || value.kind() == lib::Kind::kSegdes;
  return some ? value.ints() : std::vector<std::int64_t>();
}

std::string equal(const lib::Value& got, std::span<const std::int64_t> want) {
  return equal_elements(got, want);
}
std::string equal(const lib::Value& got, std::span<const std::int32_t> want) {
  return equal_elements(got, want);
}

}  // namespace nvm::bench
