// FLOAT folds of what filters keep have the bits of the fixed tree over the kept elements alone: whatever was
// fused, on both instruction sets, for any number of threads.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "tests/support/isas.h"
#include "tests/support/kept_folds.h"
#include "tests/support/plan_runner.h"

using namespace nvm;
using namespace nvm::testing;

namespace {

// Around the sequential limit, the fold's block, a chunk; several chunks.
constexpr std::int64_t kSizes[] = {0,     1,     2,     31,    32,    33,     34,     63,     64,
                                   65,    100,   2047,  2048,  2049,  4096,   4131,   16385,  32768,
                                   65535, 65536, 65537, 70000, 98304, 131072, 131073, 200001, 300000};

std::string trouble(const KeptFolds& folds, plan::Fusion fusion) {
  const plan::Plan plan = folds.plan(fusion);
  const Bindings inputs = folds.bindings(plan);
  Bindings reference = inputs;
  if (!evaluate(plan, reference)) return "the reference trapped";
  if (std::string d = folds.difference(plan, reference); !d.empty()) return "reference: " + d + print(plan);
  for (const vm::cpu::Isa isa : isas()) {
    const auto code = compiled(plan, isa);
    for (const int threads : {1, 2, 3, 7}) {
      const PlanRun run = run_plan(*code, plan, inputs, threads);
      if (run.status != plan::RunStatus::kDone) return "not done";
      const std::string d = run.trouble.empty() ? folds.difference(plan, run.results) : run.trouble;
      if (!d.empty()) return std::to_string(threads) + " threads: " + d + "\n" + print(plan);
    }
  }
  return "";
}

}  // namespace

TEST_CASE("FLOAT folds of kept elements have the bits of the fixed tree over these alone") {
  CHECK(rc::check("of every size, under every density, by every engine", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const std::int64_t n =
        *rc::gen::elementOf(std::vector<std::int64_t>(std::begin(kSizes), std::end(kSizes)));
    const KeptFolds folds(seed, n);
    RC_LOG() << "KeptFolds(" << seed << ", " << n << ")\n";
    for (const plan::Fusion fusion : {plan::Fusion::kGreedy, plan::Fusion::kExact}) {
      const std::string wrong = trouble(folds, fusion);
      RC_LOG() << wrong;
      RC_ASSERT(wrong.empty());
    }
  }));
}

TEST_CASE("the model of the fixed tree tells orders apart") {
  std::mt19937_64 rng(1);
  int in_other_order = 0, with_identity = 0;
  for (int round = 0; round < 20; ++round) {
    Floats x;
    for (int i = 0; i < 5000; ++i)
      x.push_back(std::ldexp(static_cast<double>(rng() >> 11) * (rng() % 2 == 0 ? 1.0 : -1.0),
                             -static_cast<int>(rng() % 50)));
    x[100] = 0.0;  // an identity where another element was
    const double sum = folded(Scalar::kAdd, false, x, {5000})[0];
    double in_order = 0.0;
    for (const double e : x) in_order += e;
    x.erase(x.begin() + 100);
    in_other_order += in_order != sum ? 1 : 0;
    with_identity += folded(Scalar::kAdd, false, x, {4999})[0] != sum ? 1 : 0;
  }
  CHECK(in_other_order > 10);
  CHECK(with_identity > 10);
}
