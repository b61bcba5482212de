// The integer program by itself: no greedy schedule and no branch and bound before it.
#include "bytecode/plan/integer.h"

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "bytecode/plan/columns.h"
#include "bytecode/plan/linear.h"
#include "tests/support/plan_corpus.h"
#include "tests/support/region_builder.h"

using namespace nvm;
using namespace nvm::plan;
using nvm::test::RegionBuilder;
using soac::VarId;

namespace {

constexpr auto kF = TypeWord::kFloat;

struct Solved {
  Schedule schedule;
  IntegerWork work;
  Plan plan;
  std::vector<RuleEvent> events;
  [[nodiscard]] std::size_t launches() const {
    std::size_t n = 0;
    for (const LengthId space : schedule.spaces)
      n += plan.lengths[static_cast<std::size_t>(space)] == LengthKind::kOne ? 0 : 1;
    return n;
  }
  [[nodiscard]] bool fired(Rule rule) const {
    for (const RuleEvent& e : events)
      if (e.fired && e.rule == rule) return true;
    return false;
  }
};

Solved solve(const RegionBuilder& b, const IntegerLimits& limits = {}) {
  const soac::Graph graph = soac::build(b.region());
  Solved s{schedule_off(graph), {}, {}, {}};
  s.work = integer_program(graph, storings_of(graph).value(), s.schedule, limits);
  s.plan = build(graph, s.schedule, &s.events);
  check(s.plan);
  return s;
}

// Sums over two spaces, each space with one that needs one of the other: alone, the two of a space share a
// kernel.
RegionBuilder crossing_sums() {
  RegionBuilder b;
  std::array<VarId, 2> x{}, whole{}, sum{};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto n = b.length();
    x[i] = b.vector(Type::kFloat, n);
    whole[i] = b.whole(n);
    sum[i] = b.op(Op::kAddReduce, kF, {x[i], whole[i]});
    b.live(sum[i]);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const auto spread = b.op(Op::kDist, kF, {sum[1 - i], whole[i]});
    b.live(b.op(Op::kAddReduce, kF, {b.op(Op::kMul, kF, {x[i], spread}), whole[i]}));
  }
  return b;
}

}  // namespace

TEST_CASE("the integer program makes norm2 two kernels with FILTER-REDUCE fused") {
  // let s = sum({x*x : x in v | x > 0}) in {x / sqrt(s) : x in v}
  RegionBuilder b;
  test::corpus::normalised(b);
  const Solved f = solve(b);
  CHECK(f.launches() == 2);
  CHECK(f.fired(Rule::kFilterReduce));
  CHECK(f.schedule.found_by == Search::kInteger);
  CHECK(f.schedule.proved_by == Search::kInteger);
}

TEST_CASE("the integer program makes elements by their sum two kernels") {
  // let t = sum(as) in {a*a/t : a in as}
  RegionBuilder b;
  const auto n = b.length();
  const auto as = b.vector(Type::kFloat, n);
  const auto t = b.op(Op::kAddReduce, kF, {as, b.whole(n)});
  const auto spread = b.op(Op::kDist, kF, {t, b.whole(n)});
  b.live(b.op(Op::kDiv, kF, {b.op(Op::kMul, kF, {as, as}), spread}));
  const Solved f = solve(b);
  CHECK(f.launches() == 2);
  CHECK(f.schedule.proved_by == Search::kInteger);
}

TEST_CASE("kernels that would each have to run before the other are cut off") {
  const Solved f = solve(crossing_sums());
  CHECK(f.work.cuts > 0);
  CHECK(f.launches() == 3);
  CHECK(f.schedule.proved_by == Search::kInteger);
  const Solved once = solve(crossing_sums(), {.columns = 1024, .steps = 20000, .rounds = 1});
  CHECK(once.schedule.proved_by == Search::kNone);
  CHECK(once.schedule.unproved == std::string("the integer program takes too many rounds"));
  CHECK(once.schedule.found_by == Search::kNone);  // what it began with
}

TEST_CASE("what is between two nodes keeps them apart") {
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kFloat, n);
  const auto sum = b.op(Op::kAddReduce, kF, {x, b.whole(n)});
  const auto mean = b.op(Op::kDiv, kF, {sum, b.scalar(Type::kFloat)});
  b.live(sum);
  b.live(mean);
  const auto rest = b.op(Op::kSub, kF, {x, b.op(Op::kDist, kF, {mean, b.whole(n)})});
  b.live(b.op(Op::kAddReduce, kF, {rest, b.whole(n)}));
  const soac::Graph graph = soac::build(b.region());
  const auto columns = columns_of(graph, Placer(graph), 100);
  REQUIRE(columns);
  for (const Column& c : *columns) {
    CHECK(c.members.size() == 1);
    CHECK(c.reads.size() == static_cast<std::size_t>(c.members[0] == 0 ? 0 : 1));
  }
}

TEST_CASE("a scan that another kernel loads is stored, and paid for, once") {
  // The scan is fused into what follows over its space, unless a sum of all of it stands between.
  RegionBuilder b;
  const auto n = b.length();
  const auto x = b.vector(Type::kFloat, n);
  const auto scan = b.op(Op::kAddScan, kF, {x, b.whole(n)});
  const auto sum = b.op(Op::kAddReduce, kF, {scan, b.whole(n)});
  const auto spread = b.op(Op::kDist, kF, {sum, b.whole(n)});
  b.live(b.op(Op::kDiv, kF, {scan, spread}));
  b.live(b.op(Op::kAddReduce, kF, {b.op(Op::kMul, kF, {scan, spread}), b.whole(n)}));
  const Solved f = solve(b);
  CHECK(f.launches() == 2);
  CHECK(f.schedule.proved_by == Search::kInteger);
  const soac::Graph graph = soac::build(b.region());
  CHECK(f.schedule.stored[static_cast<std::size_t>(graph.producer[static_cast<std::size_t>(scan)])]);
  CHECK(f.schedule.cost == Approx(schedule_exact(graph).cost));
}

TEST_CASE("an integer program that is too large is refused with the reason") {
  RegionBuilder b;
  const auto n = b.length();
  for (int i = 0; i < 11; ++i) b.live(b.op(Op::kAddReduce, kF, {b.vector(Type::kFloat, n), b.whole(n)}));
  const Solved f = solve(b);  // any of eleven sums with any others
  CHECK(f.schedule.unproved == std::string("too many legal kernels"));
  CHECK(f.launches() == 11);
  CHECK(solve(b, {.columns = 2047, .steps = 20000, .rounds = 200}).launches() == 1);
  const Solved tired = solve(b, {.columns = 2047, .steps = 1, .rounds = 200});
  CHECK(tired.schedule.unproved == std::string("the integer program takes too many steps"));
}

TEST_CASE("no more than 64 nodes are told apart") {
  RegionBuilder b;
  for (int i = 0; i < 65; ++i) {
    const auto n = b.length();
    b.live(b.op(Op::kAddReduce, kF, {b.vector(Type::kFloat, n), b.whole(n)}));
  }
  CHECK(solve(b).schedule.unproved == std::string("too many legal kernels"));
}

TEST_CASE("one kernel over one space needs no search") {
  RegionBuilder b;
  const auto n = b.length();
  for (int i = 0; i < 20; ++i) b.live(b.op(Op::kAddReduce, kF, {b.vector(Type::kFloat, n), b.whole(n)}));
  const Schedule s = schedule_exact(soac::build(b.region()));
  CHECK(s.spaces.size() == 1);
  CHECK(origin_text(s) == "found by greedy, proved: one kernel is enough");
}

TEST_CASE("a linear program has its least solution and a bound, or none") {
  const std::array<double, 3> costs{-1.0, -1.0, -2.0};
  using Term = LinearProgram::Term;
  int steps = 1000;
  LinearProgram pairs(costs);
  pairs.add_at_most(std::array{Term{0}, Term{1}}, 1.0);
  pairs.add_at_most(std::array{Term{1}, Term{2}}, 1.0);
  pairs.add_at_most(std::array{Term{2}, Term{0}}, 1.0);
  const auto fractions = pairs.solve(steps);
  REQUIRE(fractions);
  CHECK(fractions->bound == Approx(-2.0));
  pairs.limit(2, 0.5, 0.5);
  const auto half = pairs.solve(steps);
  REQUIRE(half);
  CHECK(half->bound == Approx(-2.0));
  CHECK(half->values[0] == Approx(0.5));
  pairs.limit(2, 0.0, 0.0);
  CHECK(pairs.solve(steps)->bound == Approx(-1.0));
  pairs.add_exactly(std::array{Term{0}, Term{2}}, 3.0);
  CHECK_FALSE(pairs.solve(steps));
}
