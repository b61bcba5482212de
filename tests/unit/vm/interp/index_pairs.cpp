// Moves by indices that INDEX with stride one makes, which are never written out, do what they do by indices.
#include <catch2/catch.hpp>
#include <string>

#include "fixture.h"
#include "tests/support/fast_paths.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

// `paths`: taken by three threads.
void check_as_stack_machine(const std::string& body, testing::FastPaths paths, bool fails = false) {
  for (const Isa isa : {Isa::kPortable, best_isa()}) {
    for (const int threads : {1, 3}) {
      Fixture f(main_of(body));
      REQUIRE(f.loaded.verdict == Verdict::kOk);
      f.machine.prims.isa = isa;
      f.machine.prims.threads = threads;
      f.machine.prims.grain = 64;
      INFO(body);
      const Outcome outcome = f.interpret();
      CHECK(outcome.error.has_value() == fails);
      if (threads > 1) testing::check_taken(f.fast_paths, paths);
      CHECK(printed(outcome) == printed(f.on_stack()));
    }
  }
}

// 0 .. n-1
std::string iota(int n) {
  return "CONST INT 0 CONST INT 1 CONST INT " + std::to_string(n) + " MAKE_SEGDES INDEX ";
}
// The descriptor of segments of 0, 1, ... 99 elements.
const std::string kSegments = iota(100) + "MAKE_SEGDES ";
// The one number x for each of the hundred segments; its ones.
std::string each(const std::string& x) { return "CONST INT " + x + " CONST INT 100 MAKE_SEGDES DIST INT "; }
// Half of each length, and the descriptor of these.
const std::string kHalves = iota(100) + each("2") + "/ INT ";

}  // namespace

TEST_CASE("pieces of segments are taken", "[runs]") {
  for (const std::string& starts : {each("0"), kHalves}) {
    // v, indices, source, destination
    check_as_stack_machine(iota(4950) + starts + each("1") + kHalves + "MAKE_SEGDES INDEX " + kSegments +
                               kHalves + "MAKE_SEGDES BPERMUTE INT",
                           {FastPath::kLeaveRuns, FastPath::kTakeRuns});
  }
  check_as_stack_machine(iota(4950) +
                             "I_TO_F CONST INT 7 CONST INT 1 CONST INT 4000 MAKE_SEGDES INDEX "
                             "CONST INT 4950 MAKE_SEGDES CONST INT 4000 MAKE_SEGDES BPERMUTE FLOAT",
                         {FastPath::kLeaveRuns, FastPath::kSharePart});
}

TEST_CASE("segments are joined from pieces", "[runs]") {
  // v, indices, defaults, source, destination
  for (const char* word_text : {"INT", "FLOAT", "BOOL"}) {
    const std::string word = word_text;
    const std::string as = word == "INT" ? "" : word == "FLOAT" ? "I_TO_F " : "I_TO_B ";
    check_as_stack_machine(kHalves +
                               "MAKE_SEGDES LENGTHS CONST INT 100 MAKE_SEGDES +_REDUCE INT MAKE_SEGDES "
                               "CONST INT 0 CONST INT 1 CPOP 1 2 INDEX " +
                               as + kHalves + each("1") + kHalves + "MAKE_SEGDES INDEX " + iota(4950) + as +
                               kHalves + "MAKE_SEGDES " + kSegments + "DPERMUTE " + word,
                           {FastPath::kLeaveRuns, FastPath::kScatterRuns});
  }
}

TEST_CASE("an index outside is told as it is", "[runs]") {
  check_as_stack_machine(
      iota(4950) + each("1") + each("1") + kSegments + "INDEX " + kSegments + kSegments + "BPERMUTE INT",
      {FastPath::kWriteRuns}, true);
  check_as_stack_machine(
      iota(4950) + each("-1") + each("1") + kSegments + "INDEX " + kSegments + "PERMUTE INT", {}, true);
}

TEST_CASE("indices that somebody else reads are there", "[runs]") {
  check_as_stack_machine(iota(4950) + each("0") + each("1") + kSegments +
                             "INDEX COPY 1 0 CPOP 1 2 CPOP 1 2 " + kSegments + kSegments + "BPERMUTE INT",
                         {});
}
