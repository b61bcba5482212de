// MAPs that are stored lest many kernels compute them again.
#include "bytecode/plan/recompute.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/fused.h"

using namespace nvm;
using namespace nvm::plan;
using nvm::test::fuse_all;
using nvm::test::Fused;
using nvm::test::RegionBuilder;

namespace {

constexpr auto kF = TypeWord::kFloat;

// `steps` times v = v `op` the sum of v.
Fused shares(int steps, Op op, Fusion fusion) {
  RegionBuilder b;
  const auto n = b.length();
  const auto whole = b.whole(n);
  auto v = b.vector(Type::kFloat, n);
  for (int i = 0; i < steps; ++i)
    v = b.op(op, kF, {v, b.op(Op::kDist, kF, {b.op(Op::kAddReduce, kF, {v, whole}), whole})});
  b.live(v);
  return fuse_all(b, fusion);
}

// Scalar operations of `s` in the largest kernel.
std::ptrdiff_t most(const Fused& f, Scalar s) {
  std::ptrdiff_t found = 0;
  for (const Kernel& k : f.plan.kernels)
    found = std::max(found, std::count_if(k.body.insts.begin(), k.body.insts.end(), [&](const auto& in) {
                       return in.pull == soac::Pull::kApply && in.scalar == s;
                     }));
  return found;
}

}  // namespace

TEST_CASE("steps that each sum what the one before made are not all computed again by each kernel") {
  for (const Fusion way : {Fusion::kGreedy, Fusion::kExact}) {
    const Fused f = shares(20, Op::kDiv, way);
    CHECK(f.launches() == 21);
    CHECK(most(f, Scalar::kDiv) <= 4);
  }
}

TEST_CASE("what costs little is computed again rather than stored") {
  CHECK(shares(1, Op::kDiv, Fusion::kExact).sinks(SinkKind::kStore) == 1);
  const Fused f = shares(2, Op::kSub, Fusion::kExact);
  CHECK(f.sinks(SinkKind::kStore) == 1);
  CHECK(most(f, Scalar::kSub) == 2);
}

TEST_CASE("what only leads to something stored is not stored beside it") {
  RegionBuilder b;
  const auto n = b.length();
  const auto whole = b.whole(n);
  auto v = b.vector(Type::kFloat, n);
  for (int i = 0; i < 4; ++i) {
    const auto sum = b.op(Op::kDist, kF, {b.op(Op::kAddReduce, kF, {v, whole}), whole});
    const auto part = b.op(Op::kDiv, kF, {b.op(Op::kDiv, kF, {v, sum}), sum});
    v = b.op(Op::kSub, kF, {b.op(Op::kDiv, kF, {part, sum}), part});
  }
  b.live(v);
  for (const Fusion way : {Fusion::kGreedy, Fusion::kExact}) {
    const Fused f = fuse_all(b, way);
    CHECK(f.launches() == 5);
    CHECK(f.sinks(SinkKind::kStore) <= 5);
  }
}

// The Game of Life: each turn sums numbers with their neighbours twice, and makes numbers of the sums.
TEST_CASE("what gathered numbers are made of is not stored beside them") {
  constexpr auto kI = TypeWord::kInt;
  constexpr auto kB = TypeWord::kBool;
  RegionBuilder b;
  const auto n = b.length();
  const auto whole = b.whole(n);
  auto v = b.vector(Type::kInt, n);
  const auto places = b.vector(Type::kInt, n);
  const auto rows = b.segments(b.length(), n);
  const auto beside = [&](auto x, auto desc) {
    return b.op(Op::kAdd, kI, {x, b.op(Op::kBpermute, kI, {x, places, desc, desc})});
  };
  constexpr std::size_t kTurns = 4;
  for (std::size_t k = 0; k < kTurns; ++k) {
    const auto around = b.op(Op::kSub, kI, {beside(beside(v, whole), rows), v});
    const auto stays =
        b.op(Op::kAnd, kB, {b.op(Op::kEq, kI, {v, places}), b.op(Op::kLt, kI, {around, places})});
    const auto lives = b.op(Op::kOr, kB, {b.op(Op::kEq, kI, {around, places}), stays});
    v = b.op(Op::kBtoI, TypeWord::kNone, {lives});
  }
  b.live(v);
  for (const Fusion way : {Fusion::kGreedy, Fusion::kExact})
    CHECK(fuse_all(b, way).sinks(SinkKind::kStore) == 2 * kTurns);
}
