// Each fusion rule: where it fires and where it is refused; schedules and their costs.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/fused.h"
#include "tests/support/plan_corpus.h"

using namespace nvm;
using namespace nvm::plan;
using nvm::test::fuse_all;
using nvm::test::Fused;
using nvm::test::RegionBuilder;
using soac::LengthKind;

namespace {

constexpr auto kF = TypeWord::kFloat;
constexpr auto kI = TypeWord::kInt;

}  // namespace

TEST_CASE("a dot product is one kernel without a temporary") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kFloat, n);
  const auto y = b.vector(Type::kFloat, n);
  const auto p = b.op(Op::kMul, kF, {x, y});
  b.live(b.op(Op::kAddReduce, kF, {p, b.whole(n)}));
  const Fused f = fuse_all(b);
  CHECK(f.launches() == 1);
  CHECK(f.fired(Rule::kMapReduce));
  CHECK(f.sinks(SinkKind::kStore) == 0);
  CHECK(fuse_all(b, Fusion::kOff).launches() == 2);
}

TEST_CASE("a MAP that is gathered from by segments is made first") {
  RegionBuilder b;
  const auto n = b.length();
  const auto k = b.length();
  const auto x = b.vector(Type::kFloat, n);
  const auto d = b.segments(k, n);
  const auto sums = b.op(Op::kAddReduce, kF, {x, d});
  const auto spread = b.op(Op::kDist, kF, {sums, d});
  b.live(b.op(Op::kDiv, kF, {x, spread}));
  const Fused f = fuse_all(b);
  CHECK(f.launches() == 2);
  CHECK(f.refused(Refusal::kNeedsWhole));
}

TEST_CASE("norm2 is two kernels with FILTER-REDUCE fused") {
  // let s = sum({x*x : x in v | x > 0}) in {x / sqrt(s) : x in v}
  RegionBuilder b;
  test::corpus::normalised(b);
  for (const Fusion way : {Fusion::kGreedy, Fusion::kExact}) {
    const Fused f = fuse_all(b, way);
    CHECK(f.launches() == 2);
    CHECK(f.fired(Rule::kFilterReduce));
    CHECK(f.sinks(SinkKind::kCount) == 1);
    CHECK(f.sinks(SinkKind::kStore) == 2);  // the root and the result
    for (const Kernel& k : f.plan.kernels)
      for (const Sink& s : k.sinks) CHECK((s.filter != plan::kNone) == (s.kind == SinkKind::kReduce));
  }
}

TEST_CASE("a FLOAT reduction passes over what a filter drops, INT takes the identity for it") {
  for (const TypeWord word : {TypeWord::kFloat, TypeWord::kInt}) {
    for (const Op op : {Op::kAddReduce, Op::kMulReduce, Op::kMaxReduce, Op::kMinReduce}) {
      RegionBuilder b;
      const auto n = b.length();
      const auto v = b.vector(type_of(word), n);
      const auto kept = b.op(Op::kPack, word, {v, b.vector(Type::kBool, n), b.whole(n)});
      b.live(b.op(op, word, {kept, b.second_result()}));
      const Fused f = fuse_all(b);
      CHECK(f.launches() == 1);
      CHECK(f.fired(Rule::kFilterReduce));
      CHECK(f.sinks(SinkKind::kStore) == 0);
      CHECK(f.sinks(SinkKind::kCount) == (word == TypeWord::kFloat ? 1 : 0));
    }
  }
}

TEST_CASE(
    "FLOAT scans and folds by segments are not fused with filters, whose kept elements have other places") {
  for (const bool segmented : {false, true}) {
    for (const Op op : {Op::kAddReduce, Op::kAddScan, Op::kMaxScan}) {
      if (!segmented && op == Op::kAddReduce) continue;
      RegionBuilder b;
      const auto n = b.length();
      const auto v = b.vector(Type::kFloat, n);
      const auto desc = segmented ? b.segments(b.length(), n) : b.whole(n);
      const auto kept = b.op(Op::kPack, kF, {v, b.vector(Type::kBool, n), desc});
      b.live(b.op(op, kF, {kept, b.second_result()}));
      for (const Fusion way : {Fusion::kGreedy, Fusion::kExact}) {
        const Fused f = fuse_all(b, way);
        CHECK_FALSE(f.fired(Rule::kFilterReduce));
        CHECK_FALSE(f.fired(Rule::kFilterScan));
        CHECK(f.refused(Refusal::kFilterOrder));
        CHECK(f.launches() == 2);
      }
    }
  }
}

TEST_CASE("what follows a scan runs in its last sweep, other scans in sweeps between") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kInt, n);
  const auto whole = b.whole(n);
  const auto scanned = b.op(Op::kAddScan, kI, {x, whole});
  const auto sum = b.op(Op::kAdd, kI, {scanned, x});
  b.live(sum);
  Fused f = fuse_all(b);
  CHECK(f.launches() == 1);
  CHECK(f.fired(Rule::kScanMap));
  const auto most = b.op(Op::kMaxScan, kI, {sum, whole});
  b.live(most);
  f = fuse_all(b);
  CHECK(f.launches() == 1);
  CHECK(f.fired(Rule::kScanScan));
  CHECK(sweeps(f.plan.kernels[0])[0] == 0);
  b.live(b.op(Op::kAddScan, kI, {b.op(Op::kMinScan, kI, {most, whole}), whole}));
  f = fuse_all(b);
  CHECK(f.launches() == 2);
  CHECK(f.refused(Refusal::kScanOfScan));
}

TEST_CASE("a check that alone asks whether any element is wrong looks at the elements") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kFloat, n);
  const auto whole = b.whole(n);
  const auto zero = b.op(Op::kDist, kF, {b.scalar(Type::kFloat), whole});
  const auto wrong = b.op(Op::kLt, kF, {x, zero});
  const auto any = b.op(Op::kOrReduce, TypeWord::kBool, {wrong, whole});
  b.check(any);
  b.live(b.op(Op::kSqrt, TypeWord::kNone, {x}));
  Fused f = fuse_all(b);
  CHECK(f.plan.kernels.size() == 1);
  CHECK(f.sinks(SinkKind::kReduce) == 0);
  CHECK(f.sinks(SinkKind::kStore) == 1);
  b.live(any);
  f = fuse_all(b, Fusion::kExact);
  CHECK(f.sinks(SinkKind::kReduce) == 1);
}

TEST_CASE("what a filter drops cannot trap") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kInt, n);
  const auto whole = b.whole(n);
  const auto zero = b.op(Op::kDist, kI, {b.scalar(Type::kInt), whole});
  const auto flags = b.op(Op::kNe, kI, {x, zero});
  const auto kept = b.op(Op::kPack, kI, {x, flags, whole});
  b.live(b.op(Op::kDiv, kI, {kept, kept}));
  const Fused f = fuse_all(b);
  REQUIRE(f.launches() == 1);
  const auto& insts = f.plan.kernels[0].body.insts;
  for (const soac::BodyInst& in : insts)
    if (in.scalar == Scalar::kDiv) CHECK(insts[static_cast<std::size_t>(in.b)].scalar == Scalar::kSelect);
}

TEST_CASE("filters of the same flags share one count and one pass") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kInt, n);
  const auto y = b.vector(Type::kFloat, n);
  const auto whole = b.whole(n);
  const auto flags = b.vector(Type::kBool, n);
  const auto a = b.op(Op::kPack, kI, {x, flags, whole});
  b.live(a);
  const auto c = b.op(Op::kMul, kI, {a, a});
  b.live(c);
  const Fused f = fuse_all(b);
  CHECK(f.launches() == 1);
  CHECK(f.fired(Rule::kFilterMap));
  CHECK(f.sinks(SinkKind::kCount) == 1);
  static_cast<void>(y);
}

TEST_CASE("a scan of kept elements takes identities and is compacted") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kInt, n);
  const auto flags = b.vector(Type::kBool, n);
  const auto kept = b.op(Op::kPack, kI, {x, flags, b.whole(n)});
  b.live(b.op(Op::kAddScan, kI, {kept, b.second_result()}));
  const Fused f = fuse_all(b);
  CHECK(f.launches() == 1);
  CHECK(f.fired(Rule::kFilterScan));
}

TEST_CASE("positions among kept elements need the filter first") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kInt, n);
  const auto flags = b.vector(Type::kBool, n);
  const auto kept = b.op(Op::kPack, kI, {x, flags, b.whole(n)});
  const auto kept_desc = b.second_result();
  const auto zero = b.scalar(Type::kInt);
  const auto index = b.op(Op::kIndex, TypeWord::kNone, {zero, zero, kept_desc});
  b.live(b.op(Op::kAdd, kI, {kept, index}));
  const Fused f = fuse_all(b);
  CHECK(f.launches() == 2);
  CHECK(f.refused(Refusal::kFilterIndex));
}

TEST_CASE("a gather of a small MAP computes only what it gathers") {
  RegionBuilder b;
  const auto n = b.length();
  const auto m = b.length();
  const auto x = b.vector(Type::kInt, n);
  const auto i = b.vector(Type::kInt, m);
  const auto doubled = b.op(Op::kAdd, kI, {x, x});
  b.live(b.op(Op::kBpermute, kI, {doubled, i, b.whole(n), b.whole(m)}));
  Fused f = fuse_all(b);
  CHECK(f.launches() == 1);
  CHECK(f.fired(Rule::kMapGather));
  b.live(doubled);
  f = fuse_all(b);
  CHECK(f.launches() == 2);
}

TEST_CASE(
    "a gather of a gather is two kernels: an index out of range is an error though nobody picks its "
    "element") {
  RegionBuilder b;
  const auto n = b.length(), m = b.length(), k = b.length();
  const auto x = b.vector(Type::kFloat, n);
  const auto once = b.op(Op::kBpermute, kF, {x, b.vector(Type::kInt, m), b.whole(n), b.whole(m)});
  b.live(b.op(Op::kBpermute, kF, {once, b.vector(Type::kInt, k), b.whole(m), b.whole(k)}));
  const Fused f = fuse_all(b, Fusion::kExact);
  CHECK_FALSE(f.fired(Rule::kMapGather));
  CHECK(f.launches() == 2);
}

TEST_CASE("scalar work on a sum needs no launch, work on a vector does") {
  for (const bool vector : {false, true}) {
    RegionBuilder b;
    const auto n = b.length();
    const auto x = b.vector(Type::kFloat, n);
    const auto sum = b.op(Op::kAddReduce, kF, {x, b.whole(n)});
    if (vector)
      b.live(b.op(Op::kDiv, kF, {x, b.op(Op::kDist, kF, {sum, b.whole(n)})}));
    else
      b.live(b.op(Op::kSqrt, TypeWord::kNone, {sum}));
    const Fused f = fuse_all(b);
    CHECK(f.fired(Rule::kReduceOnce) == !vector);
    CHECK(f.refused(Refusal::kNeedsWhole) == vector);
    CHECK(f.launches() == (vector ? 2 : 1));
  }
}

TEST_CASE("kernels get their order when all are placed") {
  // The sum of y stands behind that of x and the product needs it before: still x is read once.
  RegionBuilder b;
  const auto n = b.length(), m = b.length();
  const auto x = b.vector(Type::kFloat, n);
  b.live(b.op(Op::kAddReduce, kF, {x, b.whole(n)}));
  const auto other = b.op(Op::kAddReduce, kF, {b.vector(Type::kFloat, m), b.whole(m)});
  b.live(b.op(Op::kMul, kF, {x, b.op(Op::kDist, kF, {other, b.whole(n)})}));
  for (const Fusion way : {Fusion::kGreedy, Fusion::kExact}) CHECK(fuse_all(b, way).launches() == 2);
}

TEST_CASE("reductions and maps over one space stand side by side") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kFloat, n);
  const auto y = b.vector(Type::kFloat, n);
  const auto whole = b.whole(n);
  b.live(b.op(Op::kAddReduce, kF, {x, whole}));
  b.live(b.op(Op::kAddReduce, kF, {y, whole}));
  b.live(b.op(Op::kAddReduce, kF, {b.op(Op::kMul, kF, {x, y}), whole}));
  const Fused f = fuse_all(b);
  CHECK(f.launches() == 1);
  CHECK(f.fired(Rule::kHorizontal));
}

TEST_CASE("exact schedules cost at most what greedy ones do") {
  RegionBuilder b;
  const auto n = b.length();
  const auto m = b.length();
  const auto whole = b.whole(n);
  const auto x = b.vector(Type::kFloat, n);
  const auto y = b.vector(Type::kFloat, n);
  const auto z = b.vector(Type::kFloat, m);
  const auto s = b.op(Op::kAddReduce, kF, {x, whole});
  const auto t = b.op(Op::kMul, kF, {y, b.op(Op::kDist, kF, {s, whole})});
  b.live(b.op(Op::kAddReduce, kF, {t, whole}));
  b.live(b.op(Op::kAdd, kF, {y, x}));
  b.live(b.op(Op::kMul, kF, {z, z}));
  b.live(b.op(Op::kAddScan, kF, {t, whole}));
  const soac::Graph graph = soac::build(b.region());
  const Schedule greedy = schedule_greedy(graph);
  const Schedule exact = schedule_exact(graph);
  CHECK(exact.cost <= greedy.cost);
  CHECK(schedule_off(graph).cost > greedy.cost);
  check(build(graph, exact));
}

TEST_CASE("what kept numbers gather is kept in the same pass") {
  // PACK of 0, 1, ... and BPERMUTE by it, as the front end writes it: PACK.
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kFloat, n);
  const auto flags = b.vector(Type::kBool, n);
  const auto whole = b.whole(n);
  const auto numbers = b.op(Op::kIndex, TypeWord::kNone, {b.fixed(0), b.fixed(1), whole});
  const auto kept = b.op(Op::kPack, kI, {numbers, flags, whole});
  const auto kept_desc = b.second_result();
  b.live(b.op(Op::kBpermute, kF, {x, kept, whole, kept_desc}));
  const Fused f = fuse_all(b);
  CHECK(f.launches() == 1);
  CHECK(f.fired(Rule::kOwnGather));
  for (const soac::BodyInst& in : f.plan.kernels[0].body.insts) CHECK(in.pull != soac::Pull::kGather);
  RegionBuilder c;
  const auto m = c.length();
  const auto all = c.whole(m);
  const auto next = c.op(Op::kIndex, TypeWord::kNone, {c.fixed(1), c.fixed(1), all});
  c.live(c.op(Op::kBpermute, kF, {c.vector(Type::kFloat, m), next, all, all}));
  CHECK_FALSE(fuse_all(c).fired(Rule::kOwnGather));
}

TEST_CASE("segments of one element each need no segments") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kFloat, n);
  const auto y = b.vector(Type::kFloat, n);
  const auto unit = b.segdes(n, n, soac::DescForm::kRegular);
  const auto spread = b.op(Op::kDist, kF, {x, unit});
  b.live(b.op(Op::kAdd, kF, {spread, b.op(Op::kAddReduce, kF, {y, unit})}));
  const Fused f = fuse_all(b);
  CHECK(f.plan.kernels.size() == 1);
  CHECK(f.sinks(SinkKind::kSegReduce) == 0);
  for (const soac::BodyInst& in : f.plan.kernels[0].body.insts) CHECK(in.desc == kNone);
  const auto some = b.segments(n, n);
  b.live(b.op(Op::kAddReduce, kF, {y, some}));
  CHECK(fuse_all(b).sinks(SinkKind::kSegReduce) == 1);
}

TEST_CASE("a value that is used twice in each of many steps is looked at once") {
  RegionBuilder b;
  const auto n = b.length();
  auto x = b.vector(Type::kFloat, n);
  for (int i = 0; i < 64; ++i) x = b.op(Op::kAdd, kF, {x, x});  // 2^64 ways from the end to the beginning
  b.live(b.op(Op::kAddReduce, kF, {x, b.whole(n)}));
  const Fused f = fuse_all(b);
  CHECK(f.launches() == 1);
}

namespace {

// A vector parted by flags that are compared on the way; `ranked`: the flags that are counted.
struct Parted {
  RegionBuilder b;
  soac::LengthId n = b.length();
  soac::VarId x = b.vector(Type::kFloat, n);
  soac::VarId flags = b.op(Op::kLt, kF, {x, b.vector(Type::kFloat, n)});
  soac::VarId ones = b.op(Op::kBtoI, TypeWord::kNone, {b.op(Op::kNot, TypeWord::kBool, {flags})});
  soac::VarId base = b.op(Op::kAddReduce, kI, {ones, b.whole(n)});
  soac::VarId permute(soac::VarId places) { return b.op(Op::kPermute, kF, {x, places, b.whole(n)}); }
};

}  // namespace

TEST_CASE("a PERMUTE by the ranks of flags is a PARTITION: neither ranks nor places are made") {
  Parted p;
  p.b.live(p.permute(p.b.split_places(p.flags, p.flags, p.base, p.n)));
  for (const Fusion way : {Fusion::kGreedy, Fusion::kExact}) {
    const Fused f = fuse_all(p.b, way);
    CHECK(f.fired(Rule::kPartition));
    CHECK(f.launches() == 2);  // the base is counted before
    CHECK(f.sinks(SinkKind::kPartition) == 1);
    CHECK(f.sinks(SinkKind::kScatter) == 0);
    CHECK(f.sinks(SinkKind::kScan) == 0);
    CHECK(f.sinks(SinkKind::kStore) == 0);
  }
}

TEST_CASE("a PARTITION may rank each side by itself, and have the flagged side in front") {
  Parted p;
  const auto whole = p.b.whole(p.n);
  const auto index = p.b.op(Op::kIndex, TypeWord::kNone, {p.b.fixed(0), p.b.fixed(1), whole});
  const auto rank = p.b.op(Op::kAddScan, kI, {p.b.op(Op::kBtoI, TypeWord::kNone, {p.flags}), whole});
  const auto others = p.b.op(Op::kAddScan, kI, {p.ones, whole});
  const auto base = p.b.op(Op::kDist, kI, {p.base, whole});
  const auto behind = p.b.op(Op::kAdd, kI, {others, base});
  SECTION("a scan for each side") {
    p.b.live(p.permute(p.b.op(Op::kSelect, kI, {p.flags, rank, behind})));
    CHECK(fuse_all(p.b).fired(Rule::kPartition));
  }
  SECTION("the index minus the rank on the other side") {
    const auto last = p.b.op(Op::kAdd, kI, {p.b.op(Op::kSub, kI, {index, others}), base});
    p.b.live(p.permute(p.b.op(Op::kSelect, kI, {p.flags, last, others})));
    CHECK(fuse_all(p.b).fired(Rule::kPartition));
  }
  SECTION("no side behind the other") {
    p.b.live(p.permute(p.b.op(Op::kSelect, kI, {p.flags, rank, others})));
    CHECK_FALSE(fuse_all(p.b).fired(Rule::kPartition));
  }
  SECTION("sides exchanged") {
    p.b.live(p.permute(p.b.op(Op::kSelect, kI, {p.flags, others, behind})));
    CHECK_FALSE(fuse_all(p.b).fired(Rule::kPartition));
  }
}

TEST_CASE("PARTITION is refused where other flags are ranked than those that choose") {
  Parted p;
  const auto other = p.b.vector(Type::kBool, p.n);
  p.b.live(p.permute(p.b.split_places(p.flags, other, p.base, p.n)));
  const Fused f = fuse_all(p.b);
  CHECK_FALSE(f.fired(Rule::kPartition));
  CHECK(f.sinks(SinkKind::kScatter) == 1);
  CHECK(f.sinks(SinkKind::kScan) == 1);
}

TEST_CASE("ranks that somebody else looks at are made beside a PARTITION") {
  Parted p;
  const auto places = p.b.split_places(p.flags, p.flags, p.base, p.n);
  p.b.live(places);
  p.b.live(p.permute(places));
  const Fused f = fuse_all(p.b);
  CHECK(f.fired(Rule::kPartition));
  CHECK(f.sinks(SinkKind::kPartition) == 1);
  CHECK(f.sinks(SinkKind::kScan) == 1);
}

TEST_CASE("a PARTITION of what a filter keeps waits for its kernel") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kFloat, n);
  const auto keep = b.vector(Type::kBool, n);
  const auto kept = b.op(Op::kPack, kF, {x, keep, b.whole(n)});
  const auto desc = b.second_result();
  const soac::LengthId m = b.region().vars[static_cast<std::size_t>(kept)].length;
  const auto zero = b.op(Op::kDist, kF, {b.scalar(Type::kFloat), desc});
  const auto flags = b.op(Op::kLt, kF, {kept, zero});
  const auto places = b.split_places(flags, flags, b.scalar(Type::kInt), m);
  b.live(b.op(Op::kPermute, kF, {kept, places, desc}));
  const Fused f = fuse_all(b);
  CHECK(f.fired(Rule::kPartition));
  CHECK(f.refused(Refusal::kFilterIndex));
  CHECK(f.launches() == 2);
}
