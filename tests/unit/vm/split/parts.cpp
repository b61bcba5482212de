// Parts of folds, scans and filters, against a model of the fixed tree: many blocks, empty and giant
// segments, numbers whose order shows.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/support/isas.h"
#include "tests/support/long_folds.h"
#include "tests/support/split.h"

using namespace nvm;
using namespace nvm::testing;

namespace {

constexpr std::int64_t kSuperblock = std::int64_t{2048} * 2048;

// Inside of a group, of lanes, of a block; one element; at and beside a superblock.
const std::vector<std::int64_t> kEnds = {
    1, 5, 6, 100, 107, 131, 2047 + 107, 4099, 70001, kSuperblock, kSuperblock + 1, kSuperblock + 70000};

void check_long(FoldOf of, bool scan) {
  const LongFold fold(of, scan);
  for (const vm::cpu::Isa isa : isas()) {
    const auto code = compiled(fold.plan, isa);
    for (const bool at_once : {false, true}) {
      FixedCrew crew(kEnds, at_once);
      const SplitCode split(*code, fold.plan, crew);
      const PlanRun run = run_plan(split, fold.plan, fold.inputs, at_once ? 2 : 1);
      INFO((at_once ? "at once\n" : "in order\n") << run.trouble);
      REQUIRE(run.status == plan::RunStatus::kDone);
      CHECK(run.trouble.empty());
      CHECK(fold.difference(run.results).empty());
      CHECK(split.counters.parts == kEnds.size() + 1);
      CHECK(split.counters.records == kEnds.size());
    }
  }
}

// Sums and scans by segment of FLOATs, and the largest of INTs.
class Segments {
 public:
  explicit Segments(const Lengths& lengths) : lengths_(lengths) {
    const auto space = region_.length();
    const auto segments = region_.length();
    const auto desc = region_.segments(segments, space);
    const auto x = region_.vector(Type::kFloat, space);
    const auto n = region_.vector(Type::kInt, space);
    sum_ = region_.op(Op::kAddReduce, TypeWord::kFloat, {x, desc});
    scan_ = region_.op(Op::kAddScan, TypeWord::kFloat, {x, desc});
    most_ = region_.op(Op::kMaxReduce, TypeWord::kInt, {n, desc});
    for (const auto v : {sum_, scan_, most_}) region_.live(v);
    plan = test::fuse_all(region_, plan::Fusion::kGreedy).plan;
    std::int64_t all = 0;
    for (const std::int64_t m : lengths) all += m;
    inputs.vectors.resize(plan.vars.size());
    inputs.descs.resize(plan.vars.size());
    inputs.lengths.resize(plan.lengths.size());
    inputs.lengths[static_cast<std::size_t>(space)] = all;
    inputs.lengths[static_cast<std::size_t>(segments)] = static_cast<std::int64_t>(lengths.size());
    inputs.descs[static_cast<std::size_t>(desc)] = lengths;
    std::mt19937_64 rng(3);
    for (std::int64_t i = 0; i < all; ++i) {
      floats_.push_back(some_float(rng()));
      ints_.push_back(some_int(rng()));
      inputs.vectors[static_cast<std::size_t>(x)].push_back({0, floats_.back()});
      inputs.vectors[static_cast<std::size_t>(n)].push_back({ints_.back(), 0});
    }
  }
  [[nodiscard]] std::string difference(const Bindings& got) const {
    Bindings want = got;
    const auto set = [&](soac::VarId v, const Floats& values) {
      auto& to = want.vectors[static_cast<std::size_t>(v)];
      to.clear();
      for (const double e : values) to.push_back({0, e});
    };
    set(sum_, folded(Scalar::kAdd, false, floats_, lengths_));
    set(scan_, folded(Scalar::kAdd, true, floats_, lengths_));
    auto& most = want.vectors[static_cast<std::size_t>(most_)];
    most.clear();
    std::size_t at = 0;
    for (const std::int64_t m : lengths_) {
      std::int64_t best = std::numeric_limits<std::int64_t>::min();
      for (std::int64_t i = 0; i < m; ++i) best = std::max(best, ints_[at++]);
      most.push_back({best, 0});
    }
    return differences(plan, want, got);
  }
  plan::Plan plan;
  Bindings inputs;

 private:
  static double some_float(std::uint64_t r) {
    switch (r % 64) {
      case 0: return -0.0;
      case 1: return 0.0;
      case 2: return r % 65536 == 2 ? std::numeric_limits<double>::quiet_NaN() : -0.0;
      default: return std::ldexp(static_cast<double>(r % 2001) - 1000.0, static_cast<int>(r % 40));
    }
  }
  static std::int64_t some_int(std::uint64_t r) {
    if (r % 5000 == 0) return std::numeric_limits<std::int64_t>::max();
    return r % 3 == 0 ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(r >> 8);
  }
  test::RegionBuilder region_;
  Lengths lengths_;
  Floats floats_;
  std::vector<std::int64_t> ints_;
  soac::VarId sum_ = 0, scan_ = 0, most_ = 0;
};

void check_segments(const Lengths& lengths, const std::vector<std::int64_t>& ends) {
  const Segments fold(lengths);
  for (const vm::cpu::Isa isa : isas()) {
    const auto code = compiled(fold.plan, isa);
    for (const bool at_once : {false, true}) {
      FixedCrew crew(ends, at_once);
      const SplitCode split(*code, fold.plan, crew);
      const PlanRun run = run_plan(split, fold.plan, fold.inputs, at_once ? 2 : 1);
      INFO((at_once ? "at once\n" : "in order\n") << run.trouble);
      REQUIRE(run.status == plan::RunStatus::kDone);
      CHECK(run.trouble.empty());
      CHECK(fold.difference(run.results).empty());
      CHECK(split.counters.kernels > 0);
      CHECK(split.counters.parts == split.counters.kernels * (ends.size() + 1));
    }
  }
}

}  // namespace

TEST_CASE("parts of a long reduction have the bits of the fixed tree", "[tree]") {
  check_long(FoldOf::kWhole, false);
}
TEST_CASE("parts of a long scan have the bits of the fixed tree", "[tree]") {
  check_long(FoldOf::kWhole, true);
}
TEST_CASE("parts of long segments' reduction have the bits of the fixed tree", "[tree]") {
  check_long(FoldOf::kSegments, false);
}
TEST_CASE("parts of long segments' scan have the bits of the fixed tree", "[tree]") {
  check_long(FoldOf::kSegments, true);
}

TEST_CASE("parts of a million empty segments, and of one between them") {
  Lengths lengths(1'000'000, 0);
  check_segments(
      [&] {
        auto l = lengths;
        l[500'000] = 3;
        l.back() = 2;
        return l;
      }(),
      {1, 2, 3, 4});
  lengths[0] = 5000;
  lengths[999'999] = 33;
  check_segments(lengths, {1, 4999, 5000, 5001, 5032});
}
TEST_CASE("parts of one giant segment") { check_segments({300'000}, {1, 7, 33, 2048, 70'001, 299'999}); }
TEST_CASE("several segments in a part, and several parts in a segment") {
  check_segments({1, 0, 31, 32, 33, 0, 0, 8, 9, 4000, 2048, 2049, 1, 100'000, 3},
                 {1, 2, 20, 32, 33, 70, 105, 112, 3000, 6000, 50'000, 108'200, 108'201});
}
