// Random plans under CUDA emulation give what the reference evaluator gives, bit by bit.
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/property/gen_plan.h"
#include "tests/support/emu_engine.h"
#include "tests/support/kept_folds.h"
#include "tests/support/long_folds.h"
#include "tests/support/plan_runner.h"
#include "tests/support/plan_writer.h"

using namespace nvm;
using namespace nvm::testing;

namespace {

// None, one, around a warp, a fold group, the sequential limit, a block's threads, a unit, several tiles.
constexpr std::int64_t kSizes[] = {0, 1, 7, 31, 32, 33, 100, 256, 1025, 2047, 2048, 2049, 4095, 4097, 9000};
constexpr std::size_t kPlansPerSource = 15;  // compilation dominates

int check_batch(std::uint64_t first_seed, IntBits bits, std::size_t offset = 0) {
  EmuEngine engine(offset);
  std::vector<PlanCase> cases;
  std::vector<plan::Plan> plans;
  for (std::size_t i = 0; i < kPlansPerSource; ++i) {
    cases.push_back(PlanGenerator(first_seed + i, kSizes[i % std::size(kSizes)], bits).make());
    plan::check(cases.back().plan);
    plans.push_back(cases.back().plan);
  }
  engine.prepare(plans);
  int run = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::string reason;
    const auto code = engine.compile(cases[i].plan, reason);
    REQUIRE(code != nullptr);
    ++run;
    Bindings wanted = cases[i].inputs;
    const bool fine = evaluate(cases[i].plan, wanted);
    const PlanRun got = run_plan(*code, cases[i].plan, cases[i].inputs, 1);
    INFO("seed " << first_seed + i << "\n" << print(cases[i].plan));
    CHECK(got.trouble == "");
    CHECK(got.status == (fine ? plan::RunStatus::kDone : plan::RunStatus::kTrapped));
    if (fine && got.status == plan::RunStatus::kDone)
      CHECK(differences(cases[i].plan, wanted, got.results) == "");
  }
  return run;
}

}  // namespace

TEST_CASE("random plans under CUDA emulation give what the reference gives") {
  int run = 0;
  for (std::uint64_t batch = 0; batch < 2; ++batch)
    run += check_batch(1000 * batch, batch % 2 == 0 ? IntBits::k64 : IntBits::k32);
  CHECK(run == static_cast<int>(2 * kPlansPerSource));
}

TEST_CASE(
    "FLOAT folds of kept elements under CUDA emulation have the bits of the fixed tree over these alone") {
  constexpr std::int64_t kKeptSizes[] = {0, 1, 31, 33, 100, 2049, 4131, 20000};
  std::vector<KeptFolds> cases;
  std::vector<plan::Plan> plans;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    cases.emplace_back(seed, kKeptSizes[seed % std::size(kKeptSizes)]);
    plans.push_back(cases.back().plan());
  }
  EmuEngine engine;
  engine.prepare(plans);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::string reason;
    const auto code = engine.compile(plans[i], reason);
    REQUIRE(code != nullptr);
    const PlanRun got = run_plan(*code, plans[i], cases[i].bindings(plans[i]), 1);
    INFO("seed " << i + 1 << "\n" << print(plans[i]));
    CHECK(got.trouble == "");
    REQUIRE(got.status == plan::RunStatus::kDone);
    CHECK(cases[i].difference(plans[i], got.results) == "");
  }
}

TEST_CASE("FLOAT folds of many units under CUDA emulation have the bits of the fixed tree") {
  for (const auto& [of, scan] : {std::pair{FoldOf::kWhole, false},
                                 {FoldOf::kWhole, true},
                                 {FoldOf::kSegments, false},
                                 {FoldOf::kSegments, true},
                                 {FoldOf::kKept, false}}) {
    const LongFold fold(of, scan);
    EmuEngine engine;
    engine.prepare({fold.plan});
    std::string reason;
    const auto code = engine.compile(fold.plan, reason);
    REQUIRE(code != nullptr);
    const PlanRun got = run_plan(*code, fold.plan, fold.inputs, 1);
    CHECK(got.trouble == "");
    REQUIRE(got.status == plan::RunStatus::kDone);
    CHECK(fold.difference(got.results) == "");
  }
}

// The same sources: a vector that 16-byte accesses cannot reach is read and written by single elements.
TEST_CASE("random plans over memory that is not aligned to 16 bytes give the same") {
  CHECK(check_batch(0, IntBits::k64, 8) > 7);
}

// Blocks that fold wait for all others, so they must not take all the room that there is.
TEST_CASE("a kernel of many reductions comes to an end") {
  constexpr std::int64_t kElements = 70000;
  PlanWriter p(IntBits::k64, kElements);
  const std::int32_t in = p.add_var(plan::VarRole::kInput, Type::kFloat, Storage::kF64, 0);
  for (std::int64_t i = 0; i < kElements; ++i)
    p.bindings.vectors.back().push_back({0, 1.0 / static_cast<double>(i + 1)});
  std::int32_t x = p.w.pull(soac::Pull::kElement, in, Type::kFloat);
  for (int i = 0; i < 20; ++i) {
    p.reduce(i % 3 == 2 ? Scalar::kMax : Scalar::kAdd, x, Type::kFloat);
    x = p.w.apply(Scalar::kAdd, Type::kFloat, x, x);
  }
  const plan::Plan& plan = p.finished();
  EmuEngine engine(0);
  engine.prepare({plan});
  std::string reason;
  const auto code = engine.compile(plan, reason);
  REQUIRE(code != nullptr);
  Bindings wanted = p.bindings;
  REQUIRE(evaluate(plan, wanted));
  const PlanRun got = run_plan(*code, plan, p.bindings, 1);
  CHECK(got.status == plan::RunStatus::kDone);
  CHECK(differences(plan, wanted, got.results) == "");
}
