// FLOAT folds of more than 2048 blocks have the bits of the fixed tree, for any number of threads.
#include "tests/support/long_folds.h"

#include <catch2/catch.hpp>

#include "tests/support/isas.h"

using namespace nvm;
using namespace nvm::testing;

namespace {

void check(FoldOf of, bool scan) {
  const LongFold fold(of, scan);
  for (const vm::cpu::Isa isa : isas()) {
    const auto code = compiled(fold.plan, isa);
    for (const int threads : {1, 2, 3}) {
      const PlanRun run = run_plan(*code, fold.plan, fold.inputs, threads);
      INFO(threads << " threads\n" << run.trouble);
      REQUIRE(run.status == plan::RunStatus::kDone);
      CHECK(run.trouble.empty());
      CHECK(fold.difference(run.results).empty());
    }
  }
}

}  // namespace

TEST_CASE("a long reduction has the bits of the fixed tree", "[tree]") { check(FoldOf::kWhole, false); }
TEST_CASE("a long scan has the bits of the fixed tree", "[tree]") { check(FoldOf::kWhole, true); }
TEST_CASE("a long segment's reduction has the bits of the fixed tree", "[tree]") {
  check(FoldOf::kSegments, false);
}
TEST_CASE("a long segment's scan has the bits of the fixed tree", "[tree]") {
  check(FoldOf::kSegments, true);
}
TEST_CASE("a long reduction of kept elements has the bits of the fixed tree", "[tree]") {
  check(FoldOf::kKept, false);
}
