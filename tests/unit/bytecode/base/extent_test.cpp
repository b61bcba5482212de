#include "bytecode/base/extent.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

namespace nvm {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST_CASE("lengths are bounded on both sides") {
  CHECK(is_length(0));
  CHECK(is_length(kTooLong - 1));
  for (const std::int64_t n : {std::int64_t{-1}, kLeast, kTooLong, kMost}) CHECK_FALSE(is_length(n));
}

TEST_CASE("lengths of many segments and of two parts do not wrap around") {
  CHECK(length_of_all(0, kTooLong - 1) == 0);
  CHECK(length_of_all(3, 5) == 15);
  CHECK(length_of_all(2, kTooLong / 2) == kTooLong);
  CHECK(length_of_all(kTooLong - 1, kTooLong - 1) == kTooLong);
  for (const std::int64_t n : {std::int64_t{-1}, kLeast, kTooLong, kMost}) {
    CHECK(length_of_all(n, 0) == kTooLong);
    CHECK(length_of_all(0, n) == kTooLong);
    CHECK(length_of_both(n, 0) == kTooLong);
    CHECK(length_of_both(0, n) == kTooLong);
  }
  CHECK(length_of_both(kTooLong - 2, 1) == kTooLong - 1);
  CHECK(length_of_both(kTooLong - 1, 1) == kTooLong);
}

TEST_CASE("byte counts are too large rather than wrong") {
  const std::size_t most = ByteCount(std::numeric_limits<std::size_t>::max()).get();
  CHECK(ByteCount::of(5, 8).get() == 40);
  CHECK(ByteCount::of<std::int32_t>(5).get() == 20);
  CHECK(ByteCount::of(kTooLong - 1, 8).get() == static_cast<std::size_t>(kTooLong - 1) * 8);
  CHECK(ByteCount::of(std::int64_t{1} << 61, 8).get() == most);
  CHECK(ByteCount::of(-1, 8).get() == most);
  CHECK(ByteCount::of(kTooLong - 1, std::size_t{1} << 20).get() == most);
  CHECK((ByteCount(most) + 64).get() == most);
  CHECK((ByteCount(1) + std::numeric_limits<std::size_t>::max()).get() == most);
  CHECK((ByteCount(100) + 64).get() == 164);
}

}  // namespace
}  // namespace nvm
