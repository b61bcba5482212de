#include "vm/split/needs.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace nvm;
using soac::BodyInst;
using soac::Pull;
using vm::ElementRange;

namespace {

// A kernel over x1[start + stride * i], with x0 elements, and what parts of it need.
class Gathers {
 public:
  Gathers(std::int64_t start, std::int64_t stride, IntBits bits = IntBits::k64) {
    plan_.int_bits = bits;
    plan_.vars.resize(2);
    plan::Kernel kernel;
    BodyInst in{Pull::kElement, Type::kInt};
    in.var = 0;
    kernel.body.add(in);
    const std::int32_t index = kernel.body.add({Pull::kIndex, Type::kInt});
    const std::int32_t scaled = apply(kernel.body, Scalar::kMul, index, constant(kernel.body, stride));
    in = {Pull::kGather, Type::kInt};
    in.a = apply(kernel.body, Scalar::kAdd, scaled, constant(kernel.body, start));
    in.var = 1;
    kernel.body.add(in);
    plan_.kernels.push_back(kernel);
    arrays_.resize(2);
    arrays_[0].length = arrays_[1].length = 1000;
  }
  // Of the vector, by a part; {0, 0}: none.
  [[nodiscard]] ElementRange need(plan::VarId var, std::int64_t begin, std::int64_t end) const {
    const auto needs = vm::needs_of(plan_, {0, begin, end}, arrays_, {});
    return needs.contains(var) ? needs.at(var) : ElementRange{};
  }

 private:
  static std::int32_t constant(soac::Body& body, std::int64_t n) {
    BodyInst in{Pull::kConst, Type::kInt};
    in.imm = n;
    return body.add(in);
  }
  static std::int32_t apply(soac::Body& body, Scalar scalar, std::int32_t a, std::int32_t b) {
    BodyInst in{Pull::kApply, Type::kInt, scalar};
    in.a = a;
    in.b = b;
    return body.add(in);
  }
  plan::Plan plan_;
  std::vector<plan::Array> arrays_;
};

bool is(const ElementRange& r, std::int64_t begin, std::int64_t end) {
  return r.begin == begin && r.end == end;
}

}  // namespace

TEST_CASE("a part needs its elements, and of what is shifted those of its neighbours' ends") {
  const Gathers shift(-3, 1);
  CHECK(is(shift.need(0, 100, 200), 100, 200));
  CHECK(is(shift.need(1, 100, 200), 97, 197 + 16));
  CHECK(is(shift.need(1, 0, 10), 0, 7 + 16));
  CHECK(is(shift.need(1, 900, 1000), 897, 1000));
}

TEST_CASE("steps, backwards, out of range") {
  CHECK(is(Gathers(3, 2).need(1, 10, 20), 23, 3 + 2 * (19 + 16) + 1));
  CHECK(is(Gathers(999, -1).need(1, 0, 10), 999 - 9 - 16, 1000));
  CHECK(is(Gathers(5000, 1).need(1, 0, 10), 0, 0));
}

TEST_CASE("all is needed where INT wraps in between") {
  const std::int64_t far = std::numeric_limits<std::int64_t>::max() - 100;
  CHECK(is(Gathers(far, 1).need(1, 0, 10), 0, 0));
  CHECK(is(Gathers(far, 1).need(1, 0, 200), 0, 1000));
  CHECK(is(Gathers(std::int64_t{1} << 30, 1 << 30, IntBits::k32).need(1, 0, 10), 0, 1000));
}
