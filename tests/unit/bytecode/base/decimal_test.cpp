#include "bytecode/base/decimal.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace nvm {

TEST_CASE("decimals are rounded to the nearest double, halves to even") {
  CHECK(nearest_double("9007199254740993.0") == 9007199254740992.0);
  CHECK(nearest_double("9007199254740995") == 9007199254740996.0);
  CHECK(nearest_double("+.5e-3") == 0.0005);
  CHECK(nearest_double("-1.") == -1.0);
  CHECK(std::signbit(nearest_double("-0.0")));
  CHECK(nearest_double("0x1.8p-1") == 0.75);
}

TEST_CASE("short decimals are what the standard library reads, to the last bit and character") {
  std::minstd_rand random(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random()) % n; };
  for (int i = 0; i < 200'000; ++i) {
    std::string text(below(8) == 0 ? "-" : "");
    for (unsigned n = 1 + below(below(4) == 0 ? 24 : 9); n > 0; --n)
      text += "0123456789.0123456789.0123456789e-,"[below(below(8) == 0 ? 35 : 31)];
    double expected = 1.0, x = 1.0;
    const auto right = std::from_chars(text.data(), text.data() + text.size(), expected);
    const auto read = read_double(text.data(), text.data() + text.size(), x);
    INFO(text);
    REQUIRE(read.ec == right.ec);
    REQUIRE(read.ptr == right.ptr);
    REQUIRE(std::memcmp(&x, &expected, sizeof x) == 0);
  }
}

TEST_CASE("beyond the range of doubles a number is infinite or zero") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const char* text : {"1e309", "1.0E400", "0.001e400", "1e99999999999999999999", "0x1p9999", "inf"})
    CHECK(nearest_double(text) == kInfinity);
  for (const char* text : {"1e-400", "1000.0e-400", "0.0e999999", "1e-99999999999999999999", "0x1p-9999"})
    CHECK(nearest_double(text) == 0.0);
  CHECK(nearest_double("-1e309") == -kInfinity);
  CHECK(std::signbit(nearest_double("-1e-400")));
  CHECK(nearest_double("1" + std::string(400, '0') + "e-400") == 1.0);
  CHECK(std::isnan(nearest_double("nan")));
}

}  // namespace nvm
