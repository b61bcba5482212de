// A choice between two values by their comparison is the smaller or larger of them, to the bit.
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

#include "bytecode/soac/body.h"

using namespace nvm;
using namespace nvm::soac;

namespace {

std::int32_t element(Body& body, VarId var) {
  BodyInst in;
  in.pull = Pull::kElement;
  in.type = Type::kFloat;
  in.var = var;
  return body.add(in);
}

bool flag(Scalar s, double a, double b) { return s == Scalar::kLt ? a < b : a > b; }

// As the table of scalar operations says.
double smaller_or_larger(Scalar s, double a, double b) { return (s == Scalar::kMin ? a < b : a > b) ? a : b; }

}  // namespace

TEST_CASE("a select by a comparison of what it chooses from is min or max") {
  const double values[] = {0.0,
                           -0.0,
                           1.0,
                           -1.0,
                           std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()};
  for (const Scalar comparison : {Scalar::kLt, Scalar::kGt})
    for (const bool swapped : {false, true}) {
      Body body;
      const std::int32_t x[] = {element(body, 0), element(body, 1)};
      const std::int32_t f = body.apply(comparison, Type::kBool, x[0], x[1]);
      const BodyInst made = body.insts[static_cast<std::size_t>(
          body.apply(Scalar::kSelect, Type::kFloat, f, x[swapped ? 1 : 0], x[swapped ? 0 : 1]))];
      REQUIRE((made.scalar == Scalar::kMin || made.scalar == Scalar::kMax));
      for (const double a : values)
        for (const double b : values) {
          const double given[] = {a, b};
          const double chosen = flag(comparison, a, b) == swapped ? b : a;
          const double got = smaller_or_larger(made.scalar, given[made.a == x[1]], given[made.b == x[1]]);
          CHECK(std::bit_cast<std::uint64_t>(got) == std::bit_cast<std::uint64_t>(chosen));
        }
    }
}

TEST_CASE("other selects stay as they are") {
  Body body;
  const std::int32_t x = element(body, 0), y = element(body, 1), z = element(body, 2);
  const auto scalar_of = [&](Scalar comparison, std::int32_t a, std::int32_t b) {
    const std::int32_t f = body.apply(comparison, Type::kBool, x, y);
    return body.insts[static_cast<std::size_t>(body.apply(Scalar::kSelect, Type::kFloat, f, a, b))].scalar;
  };
  CHECK(scalar_of(Scalar::kLt, x, z) == Scalar::kSelect);
  CHECK(scalar_of(Scalar::kLt, z, y) == Scalar::kSelect);
  CHECK(scalar_of(Scalar::kLe, x, y) == Scalar::kSelect);  // of 0.0 and -0.0 the other one
  CHECK(scalar_of(Scalar::kEq, x, y) == Scalar::kSelect);
}
