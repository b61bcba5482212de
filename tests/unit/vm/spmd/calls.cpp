// Calls that are dealt out: each rank finishes its instances alone, however deep they go, and nothing is said
// meanwhile; what comes out is what one process gives.
#include <catch2/catch.hpp>

#include "tests/support/lifted_programs.h"
#include "tests/support/on_ranks.h"
#include "tests/support/vcode_module.h"

namespace nvm {
namespace {

// The factorials of `n` instances, numbers below `most`, twice: of the results of the first call, too.
std::string factorials(std::int64_t n, std::int64_t most) {
  const std::string length = std::to_string(n);
  const std::string below =
      "CONST INT " + std::to_string(most) + " CONST SEGDES " + length + " DIST INT % INT ";
  const std::string fact(test::kFactorial);
  return "FUNC MAIN CONST INT 0 CONST INT 1 CONST SEGDES " + length + " INDEX " + below + "CONST SEGDES " +
         length + " CALL FACT " + below + "CONST SEGDES " + length + " CALL FACT RET\n" +
         fact.substr(fact.find("FUNC FACT"));
}

std::vector<test::RankResult> run(const std::string& text, int n, const vm::spmd::Settings& settings) {
  const ssa::Module module = test::vcode_module(text.c_str());
  vm::Pool pool;
  const vm::Code code = vm::make_code(module, pool);
  const test::ProgramResult alone = test::WritingMachine(code, pool, 1).run(code, 1);
  REQUIRE(!alone.outcome.error);
  std::vector<test::RankResult> ranks = test::run_on_ranks(module, n, settings);
  for (const test::RankResult& r : ranks) CHECK(test::difference(alone, r.result) == "");
  return ranks;
}

}  // namespace

TEST_CASE("calls that are dealt out are finished without a word, however deep they go") {
  vm::spmd::Settings settings;
  settings.spread = 100;
  for (const int n : {1, 2, 3, 5}) {
    const auto flat = run(factorials(10000, 3), n, settings);
    const auto deep = run(factorials(10000, 60), n, settings);
    for (std::size_t r = 0; r < flat.size(); ++r) {
      CHECK(flat[r].dealt_out == 2);
      CHECK(deep[r].dealt_out == 2);
      CHECK(flat[r].counts.rounds == deep[r].counts.rounds);
      CHECK(flat[r].counts.bytes_sent == deep[r].counts.bytes_sent);
    }
  }
}

TEST_CASE("they may be cut anywhere before") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    vm::spmd::Settings settings;
    settings.spread = 10;
    settings.cutter = test::any_cut(seed);
    for (const test::RankResult& r : run(factorials(500, 9), 4, settings)) CHECK(r.dealt_out == 2);
  }
}

TEST_CASE("with fewer instances than ranks nothing is dealt out") {
  vm::spmd::Settings settings;
  settings.spread = 1;
  for (const test::RankResult& r : run(factorials(3, 5), 5, settings)) CHECK(r.dealt_out == 0);
}

}  // namespace nvm
