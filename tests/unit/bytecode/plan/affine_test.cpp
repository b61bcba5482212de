// Which places a plan knows to go up evenly within segments.
#include "bytecode/plan/affine.h"

#include <catch2/catch.hpp>

using namespace nvm;
using namespace nvm::plan;
using soac::Body;
using soac::BodyInst;
using soac::kNone;
using soac::Pull;

namespace {

constexpr soac::VarId kDesc = 1, kOther = 2, kStarts = 3, kStrides = 4, kNumber = 5;

std::int32_t pull(Body& body, Pull what, soac::VarId var, soac::VarId desc) {
  BodyInst in;
  in.pull = what;
  in.var = var;
  in.desc = desc;
  return body.add(in);
}

}  // namespace

TEST_CASE("start + stride * (index within the segment) is affine, its parts in either order or left out") {
  Body body;
  const std::int32_t within = pull(body, Pull::kWithin, kNone, kDesc);
  const std::int32_t start = pull(body, Pull::kPerSegment, kStarts, kDesc);
  const std::int32_t stride = pull(body, Pull::kPerSegment, kStrides, kDesc);
  const std::int32_t number = pull(body, Pull::kUniform, kNumber, kNone);
  const std::int32_t scaled = body.apply(Scalar::kMul, Type::kInt, within, stride);
  const auto all = affine_within(body, body.apply(Scalar::kAdd, Type::kInt, start, scaled), kDesc);
  REQUIRE(all.has_value());
  CHECK(all->start.var == kStarts);
  CHECK(all->stride.var == kStrides);
  const auto from = affine_within(body, body.apply(Scalar::kAdd, Type::kInt, within, number), kDesc);
  REQUIRE(from.has_value());
  CHECK(from->start.var == kNumber);
  CHECK(from->stride == PerSegment{kNone, 1});
  const auto plain = affine_within(body, within, kDesc);
  REQUIRE(plain.has_value());
  CHECK(plain->start == PerSegment{kNone, 0});
}

TEST_CASE("what counts in other segments, is scaled behind the sum, or is an element, is not") {
  Body body;
  const std::int32_t within = pull(body, Pull::kWithin, kNone, kDesc);
  const std::int32_t start = pull(body, Pull::kPerSegment, kStarts, kOther);
  const std::int32_t element = pull(body, Pull::kElement, kStarts, kNone);
  const std::int32_t number = pull(body, Pull::kUniform, kNumber, kNone);
  const std::int32_t sum = body.apply(Scalar::kAdd, Type::kInt, within, number);
  CHECK(!affine_within(body, within, kOther));
  CHECK(!affine_within(body, within, kNone));
  CHECK(!affine_within(body, number, kDesc));
  CHECK(!affine_within(body, body.apply(Scalar::kAdd, Type::kInt, within, start), kDesc));
  CHECK(!affine_within(body, body.apply(Scalar::kAdd, Type::kInt, within, element), kDesc));
  CHECK(!affine_within(body, body.apply(Scalar::kMul, Type::kInt, sum, number), kDesc));
  CHECK(!affine_within(body, body.apply(Scalar::kMul, Type::kInt, within, within), kDesc));
}

TEST_CASE("places that go up by an odd number differ, whatever wraps") {
  Body body;
  const auto times = [&](std::int32_t v, std::int64_t by) {
    BodyInst in;
    in.imm = by;
    return body.apply(Scalar::kMul, Type::kInt, v, body.add(in));
  };
  const auto placed = [&](std::int32_t v, soac::VarId desc) {
    BodyInst in;
    in.pull = Pull::kSegPlace;
    in.a = v;
    in.desc = desc;
    in.desc2 = kOther;
    return body.add(in);
  };
  const std::int32_t within = pull(body, Pull::kWithin, kNone, kDesc);
  const std::int32_t index = pull(body, Pull::kIndex, kNone, kNone);
  const std::int32_t number = pull(body, Pull::kUniform, kNumber, kNone);
  CHECK(places_differ(body, index));
  CHECK(places_differ(body, times(index, -1)));
  CHECK(places_differ(body, body.apply(Scalar::kAdd, Type::kInt, number, times(index, 3))));
  CHECK(places_differ(body, placed(body.apply(Scalar::kAdd, Type::kInt, number, within), kDesc)));
  CHECK(!places_differ(body, times(index, 2)));
  CHECK(!places_differ(body, times(index, 0)));
  CHECK(!places_differ(body, body.apply(Scalar::kMul, Type::kInt, index, number)));
  CHECK(!places_differ(body, number));
  CHECK(!places_differ(body, pull(body, Pull::kElement, kStarts, kNone)));
  CHECK(!places_differ(body, within));  // counted anew in each segment of one space
  CHECK(!places_differ(body, placed(within, kOther)));
  CHECK(!places_differ(body, placed(index, kDesc)));
}
