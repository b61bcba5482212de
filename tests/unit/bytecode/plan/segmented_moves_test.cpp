// PERMUTE and its relatives over several segments, REPLACE and EXTRACT: what becomes of them in the graph,
// where they fuse and where they are refused.
#include <catch2/catch.hpp>

#include "bytecode/soac/graph.h"
#include "tests/support/fused.h"

using namespace nvm;
using namespace nvm::test;
using soac::Combinator;
using soac::Pull;

namespace {

constexpr auto kF = TypeWord::kFloat;
constexpr auto kI = TypeWord::kInt;

// Two vectors over segments, and a number for each segment.
struct Segmented {
  RegionBuilder b;
  soac::LengthId n = b.length(), k = b.length();
  soac::VarId desc = b.segments(k, n);
  soac::VarId x = b.vector(Type::kFloat, n);
  soac::VarId places = b.vector(Type::kInt, n);
  soac::VarId each = b.vector(Type::kInt, k);
  soac::VarId known(std::int64_t value) {
    const soac::VarId v = b.vector(Type::kInt, k);
    b.fix(v, value);
    return v;
  }
};

int pulls(const Fused& f, Pull pull) {
  std::ptrdiff_t n = 0;
  for (const Kernel& k : f.plan.kernels)
    n += std::count_if(k.body.insts.begin(), k.body.insts.end(),
                       [&](const soac::BodyInst& in) { return in.pull == pull; });
  return static_cast<int>(n);
}

Combinator last_kind(const RegionBuilder& b) { return soac::build(b.region()).nodes.back().kind; }

}  // namespace

TEST_CASE("a PERMUTE over several segments is a SEG_PERMUTE that its producers feed") {
  Segmented s;
  const auto sum = s.b.op(Op::kAddScan, kF, {s.x, s.desc});
  const auto next =
      s.b.op(Op::kSub, kI, {s.b.op(Op::kIndex, TypeWord::kNone, {s.each, s.each, s.desc}), s.places});
  s.b.live(s.b.op(Op::kPermute, kF, {sum, next, s.desc}));
  CHECK(last_kind(s.b) == Combinator::kSegPermute);
  for (const Fusion way : {Fusion::kGreedy, Fusion::kExact}) {
    const Fused f = fuse_all(s.b, way);
    CHECK(f.launches() == 1);
    CHECK(f.fired(Rule::kMapPermute));
    CHECK(f.fired(Rule::kScanPermute));
    CHECK(f.sinks(SinkKind::kScatter) == 1);
    CHECK(pulls(f, Pull::kSegPlace) == 1);
  }
}

TEST_CASE("a SEG_PERMUTE of what a filter keeps looks only at places that are kept") {
  Segmented s;
  const auto keep = s.b.vector(Type::kBool, s.n);
  const auto kept = s.b.op(Op::kPack, kI, {s.places, keep, s.desc});
  const auto kept_desc = s.b.second_result();
  const auto defaults = s.b.vector(Type::kInt, s.n);
  s.b.live(s.b.op(Op::kDpermute, kI, {kept, kept, defaults, kept_desc, s.desc}));
  const Fused f = fuse_all(s.b);
  CHECK(f.launches() == 1);
  CHECK(f.fired(Rule::kFilterMap));
  for (const soac::BodyInst& in : f.plan.kernels[0].body.insts)
    if (in.pull == Pull::kSegPlace) CHECK(in.b != soac::kNone);
}

TEST_CASE("a SEG_PERMUTE within what a filter keeps waits until that is counted") {
  Segmented s;
  const auto kept = s.b.op(Op::kPack, kF, {s.x, s.b.vector(Type::kBool, s.n), s.desc});
  const auto kept_desc = s.b.second_result();
  const soac::LengthId m = s.b.region().vars[static_cast<std::size_t>(kept)].length;
  s.b.live(s.b.op(Op::kPermute, kF, {kept, s.b.vector(Type::kInt, m), kept_desc}));
  const Fused f = fuse_all(s.b);
  CHECK(f.launches() == 2);
  CHECK(f.sinks(SinkKind::kScatter) == 1);
}

TEST_CASE("a SEG_PERMUTE is not gathered from in its own kernel") {
  Segmented s;
  const auto moved = s.b.op(Op::kPermute, kF, {s.x, s.places, s.desc});
  s.b.live(s.b.op(Op::kBpermute, kF, {moved, s.places, s.desc, s.desc}));
  const Fused f = fuse_all(s.b);
  CHECK(f.launches() == 2);
  CHECK(f.refused(Refusal::kNeedsWhole));
}

TEST_CASE("one element of each segment is a direct store over a copy") {
  Segmented s;
  const auto v = s.b.vector(Type::kFloat, s.k);
  SECTION("REPLACE") { s.b.live(s.b.op(Op::kReplace, kF, {s.x, s.each, v, s.desc})); }
  SECTION("DPERMUTE from segments of one element") {
    const auto unit = s.b.segdes(s.k, s.k, soac::DescForm::kRegular);
    s.b.live(s.b.op(Op::kDpermute, kF, {v, s.each, s.x, unit, s.desc}));
  }
  CHECK(last_kind(s.b) == Combinator::kPermute);
  const Fused f = fuse_all(s.b);
  CHECK(f.launches() == 1);
  CHECK(f.plan.kernels[0].space == s.k);
  CHECK(f.plan.kernels[0].sinks[0].distinct);
  CHECK(f.plan.kernels[0].sinks[0].init == s.x);
}

TEST_CASE("REPLACE of one segment has a plain index") {
  RegionBuilder b;
  const auto n = b.length();
  const auto whole = b.whole(n);
  b.live(b.op(Op::kReplace, kF,
              {b.vector(Type::kFloat, n), b.scalar(Type::kInt), b.scalar(Type::kFloat), whole}));
  const Fused f = fuse_all(b);
  CHECK(f.sinks(SinkKind::kScatter) == 1);
  CHECK(pulls(f, Pull::kSegPlace) == 0);
}

TEST_CASE("EXTRACT of several segments pulls one element of each, unless a filter drops segments") {
  Segmented s;
  const auto taken = s.b.op(Op::kExtract, kF, {s.x, s.each, s.desc});
  SECTION("with what follows") {
    s.b.live(s.b.op(Op::kAdd, kF, {taken, taken}));
    const Fused f = fuse_all(s.b);
    CHECK(f.launches() == 1);
    CHECK(pulls(f, Pull::kSegGather) == 1);
  }
  SECTION("the numbers of segments are lost") {
    const auto keep = s.b.vector(Type::kBool, s.k);
    const auto at = s.b.op(Op::kPack, kI, {s.each, keep, s.b.whole(s.k)});
    const soac::LengthId m = s.b.region().vars[static_cast<std::size_t>(at)].length;
    s.b.live(s.b.op(Op::kExtract, kF, {s.x, at, s.b.segments(m, s.n)}));
    const Fused f = fuse_all(s.b);
    CHECK(f.launches() == 2);
    CHECK(f.refused(Refusal::kFilterIndex));
  }
}

TEST_CASE("a PERMUTE by ranks of flags in each segment is a SEG_PARTITION") {
  Segmented s;
  const auto flags = s.b.op(Op::kLt, kF, {s.x, s.b.vector(Type::kFloat, s.n)});
  const auto ones = s.b.op(Op::kBtoI, TypeWord::kNone, {s.b.op(Op::kNot, TypeWord::kBool, {flags})});
  const auto base = s.b.op(Op::kAddReduce, kI, {ones, s.desc});
  const auto zero = s.known(0), one = s.known(1);
  SECTION("of the same segments") {
    s.b.live(
        s.b.op(Op::kPermute, kF, {s.x, s.b.split_places(flags, flags, base, s.desc, zero, one), s.desc}));
    CHECK(last_kind(s.b) == Combinator::kSegPartition);
    const Fused f = fuse_all(s.b, Fusion::kExact);
    CHECK(f.fired(Rule::kPartition));
    CHECK(f.launches() == 2);  // the bases are counted before
    CHECK(f.sinks(SinkKind::kPartition) == 1);
    CHECK(f.sinks(SinkKind::kSegScan) == 0);
  }
  SECTION("an INDEX from numbers spread over the segments in the same line") {
    const auto all = s.b.whole(s.k);
    const auto zeros = s.b.op(Op::kDist, kI, {s.b.fixed(0), all}),
               ups = s.b.op(Op::kDist, kI, {s.b.fixed(1), all});
    s.b.live(
        s.b.op(Op::kPermute, kF, {s.x, s.b.split_places(flags, flags, base, s.desc, zeros, ups), s.desc}));
    CHECK(last_kind(s.b) == Combinator::kSegPartition);
  }
  SECTION("refused: an INDEX from numbers that are not known") {
    s.b.live(
        s.b.op(Op::kPermute, kF, {s.x, s.b.split_places(flags, flags, base, s.desc, s.each, one), s.desc}));
    CHECK(last_kind(s.b) == Combinator::kSegPermute);
    CHECK_FALSE(fuse_all(s.b).fired(Rule::kPartition));
  }
  SECTION("refused: ranks in other segments") {
    const auto other = s.b.segments(s.k, s.n);
    s.b.live(s.b.op(Op::kPermute, kF, {s.x, s.b.split_places(flags, flags, base, s.desc, zero, one), other}));
    CHECK(last_kind(s.b) == Combinator::kSegPermute);
  }
}
