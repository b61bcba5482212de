#include "vm/data/compare.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "vm/data/pool.h"

namespace nvm::vm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("distances count representable numbers") {
  CHECK(ulp_distance(1.0, 1.0) == 0);
  CHECK(ulp_distance(1.0, std::nextafter(1.0, 2.0)) == 1);
  CHECK(ulp_distance(0.0, -0.0) == 0);
  CHECK(ulp_distance(-5e-324, 5e-324) == 2);
  CHECK(ulp_distance(kNan, -kNan) == 0);
  CHECK(ulp_distance(kNan, 1.0) == ~std::uint64_t{0});
  CHECK(ulp_distance(-std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity()) > 1);
}

TEST_CASE("vectors differ at the first element that does, whatever their storage") {
  Pool pool;
  const std::int64_t a[] = {1, 2, 3};
  const std::int64_t b[] = {1, 5, 4};
  CHECK(difference(int_vector(pool, a), int_vector(pool, a, Storage::kI8)).empty());
  CHECK(difference(int_vector(pool, a), int_vector(pool, b)) == "element 1: 2 and 5");
  CHECK(difference(int_vector(pool, a), Vector::of_int(1)) == "length: 3 and 1");
  CHECK(difference(Vector::of_bool(true), Vector::of_bool(false)) == "element 0: T and F");
  CHECK(difference(Vector::of_bool(true), Vector::of_int(1)) == "type: Bool and Int");
}

TEST_CASE("floats are compared by bits unless a distance is allowed") {
  const Vector one = Vector::of_float(1.5);
  const Vector next = Vector::of_float(std::nextafter(1.5, 2.0));
  CHECK_FALSE(difference(one, next).empty());
  CHECK(difference(one, next, 1).empty());
  CHECK(difference(one, Vector::of_float(2.5), 1) == "element 0: 1.5 and 2.5");
  CHECK_FALSE(difference(Vector::of_float(0.0), Vector::of_float(-0.0)).empty());
  CHECK(difference(Vector::of_float(kNan), Vector::of_float(-kNan)).empty());
}

TEST_CASE("descriptors and pairs say which part differs") {
  Pool pool;
  const std::int64_t lengths[] = {1, 3};
  const Segdes s = Segdes::from_lengths(int_vector(pool, lengths), 4);
  CHECK(difference(s, Segdes::regular(2, 2)) == "length of segment 0: 1 and 2");
  CHECK(difference(s, Segdes::regular(1, 4)) == "segments: 2 and 1");
  CHECK(difference(s, Vector::of_int(2)) == "different kinds of value");
  const auto pair = [&](std::int64_t x) -> Value {
    return std::make_shared<const PairValue>(PairValue{s, Vector::of_int(x)});
  };
  CHECK(difference(pair(1), pair(1)).empty());
  CHECK(difference(pair(1), pair(2)) == "right element 0: 1 and 2");
}

}  // namespace
}  // namespace nvm::vm
