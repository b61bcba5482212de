// RANK, RAND and MAKE_SEGDES of computed lengths: kernels of their own, left to primitives; what they refuse.
#include <catch2/catch.hpp>

#include "tests/support/fused.h"

using namespace nvm;
using namespace nvm::test;

namespace {

constexpr auto kI = TypeWord::kInt;
constexpr auto kF = TypeWord::kFloat;
constexpr Fusion kFusions[] = {Fusion::kOff, Fusion::kGreedy, Fusion::kExact};

// { rank of x*x } * 2, summed: keys in front, a use behind.
struct Ranked {
  RegionBuilder b;
  soac::LengthId n = b.length();
  Ranked() {
    const auto x = b.vector(Type::kFloat, n);
    const auto rank = b.op(Op::kRankUp, kF, {b.op(Op::kMul, kF, {x, x}), b.whole(n)});
    b.live(b.op(Op::kAddReduce, kI, {b.op(Op::kAdd, kI, {rank, rank}), b.whole(n)}));
  }
};

bool alone(const Plan& plan) {
  return std::all_of(plan.kernels.begin(), plan.kernels.end(), [](const Kernel& k) {
    return !by_primitive(k) || (k.sinks.size() == 1 && k.body.insts.size() == 1 && k.origin.size() == 1);
  });
}

}  // namespace

TEST_CASE("a RANK stands between the kernel of its keys and that of its uses") {
  for (const Fusion fusion : kFusions) {
    const Fused f = fuse_all(Ranked().b, fusion);
    CHECK(f.sinks(SinkKind::kRank) == 1);
    CHECK(alone(f.plan));
    if (fusion == Fusion::kOff) continue;
    CHECK(f.launches() == 3);
    CHECK(f.refused(Refusal::kPrimitive));
    CHECK(f.fired(Rule::kMapReduce));  // what uses the ranks is fused as ever
  }
}

TEST_CASE("what a primitive makes joins nobody, though the space is the same") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kInt, n);
  b.live(b.op(Op::kRankUp, kI, {x, b.whole(n)}));
  b.live(b.op(Op::kRankDown, kI, {x, b.whole(n)}));
  b.live(b.op(Op::kRand, TypeWord::kNone, {x}));
  b.live(b.op(Op::kAddReduce, kI, {x, b.whole(n)}));
  for (const Fusion fusion : kFusions) {
    const Fused f = fuse_all(b, fusion);
    CHECK(f.launches() == 4);
    CHECK(alone(f.plan));
    CHECK_FALSE(f.fired(Rule::kHorizontal));
  }
}

TEST_CASE("passes before and behind a primitive are one if they do not need it") {
  Ranked r;
  r.b.live(r.b.op(Op::kMaxReduce, kF, {0, r.b.whole(r.n)}));  // of the vector that the keys are made of
  const Fused f = fuse_all(r.b, Fusion::kExact);
  CHECK(f.launches() == 3);
  CHECK(f.fired(Rule::kHorizontal));
}

TEST_CASE("ranks within segments keep their descriptor, also one that a filter made") {
  RegionBuilder b;
  const auto n = b.length(), k = b.length();
  const auto x = b.vector(Type::kInt, n), flags = b.vector(Type::kBool, n);
  const auto kept = b.op(Op::kPack, kI, {x, flags, b.segments(k, n)});
  const auto desc = b.second_result();
  b.live(b.op(Op::kRankDown, kI, {kept, desc}));
  for (const Fusion fusion : kFusions) {
    const Fused f = fuse_all(b, fusion);
    const Kernel& last = f.plan.kernels.back();
    REQUIRE(by_primitive(last));
    CHECK(last.sinks[0].desc == desc);
    CHECK(last.sinks[0].down);
    CHECK(plan::print(f.plan).find("rank down v0 by x" + std::to_string(desc)) != std::string::npos);
  }
}

TEST_CASE("what lies under computed lengths runs behind the kernel that sums them") {
  RegionBuilder b;
  const auto k = b.length();
  const auto lengths = b.vector(Type::kInt, k), values = b.vector(Type::kInt, k);
  const auto desc = b.op(Op::kMakeSegdes, TypeWord::kNone, {b.op(Op::kAdd, kI, {lengths, lengths})});
  const auto copies = b.op(Op::kDist, kI, {values, desc});
  const auto squares = b.op(Op::kMul, kI, {copies, copies});
  b.live(squares);
  b.live(b.op(Op::kAddReduce, kI, {squares, desc}));
  for (const Fusion fusion : kFusions) {
    const Fused f = fuse_all(b, fusion);
    CHECK(f.sinks(SinkKind::kSegdes) == 1);
    CHECK(alone(f.plan));
    if (fusion == Fusion::kOff) continue;
    CHECK(f.launches() == 3);  // lengths; their descriptor; all that lies under it
    CHECK(f.fired(Rule::kHorizontal) != f.fired(Rule::kMapReduce));
  }
}

TEST_CASE("a filter under computed lengths narrows their descriptor") {
  RegionBuilder b;
  const auto k = b.length();
  const auto lengths = b.vector(Type::kInt, k);
  const auto desc = b.op(Op::kMakeSegdes, TypeWord::kNone, {lengths});
  const auto copies = b.op(Op::kDist, kI, {lengths, desc});
  const auto odd = b.op(Op::kItoB, TypeWord::kNone, {copies});
  const auto kept = b.op(Op::kPack, kI, {copies, odd, desc});
  b.live(b.op(Op::kAddReduce, kI, {kept, b.second_result()}));
  for (const Fusion fusion : kFusions) {
    const Fused f = fuse_all(b, fusion);
    if (fusion != Fusion::kOff) CHECK(f.launches() == 2);
  }
}

TEST_CASE("one length that was computed makes one segment") {
  RegionBuilder b;
  const auto n = b.length();
  const auto sum = b.op(Op::kAddReduce, kI, {b.vector(Type::kInt, n), b.whole(n)});
  const auto desc = b.op(Op::kMakeSegdes, TypeWord::kNone, {sum});
  b.live(b.op(Op::kIndex, TypeWord::kNone, {b.fixed(0), b.fixed(1), desc}));
  for (const Fusion fusion : kFusions) {
    const Fused f = fuse_all(b, fusion);
    CHECK(f.sinks(SinkKind::kSegdes) == 1);
    CHECK(f.launches() == 2);
  }
}
