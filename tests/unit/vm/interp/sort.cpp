// RANK and PERMUTE of the same elements are one step, and only then; results and faults are those of both.
#include <catch2/catch.hpp>
#include <string>

#include "fixture.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

// Whether they are one step, and that it does the same.
bool sorts(const std::string& body) {
  bool any = false;
  for (const int threads : {1, 3}) {
    Fixture f(main_of(body));
    REQUIRE(f.loaded.verdict == Verdict::kOk);
    f.machine.prims.threads = threads;
    f.machine.prims.grain = 64;
    INFO(body);
    CHECK(printed(f.interpret()) == printed(f.on_stack()));
    const bool sorted = f.fast_paths[FastPath::kSort] > 0;
    CHECK(sorted == (f.fast_paths[FastPath::kLeaveRanks] > 0));
    any |= sorted;
  }
  return any;
}

// 99 keys between -6 and 0 and one segment; keys of segments of 0, 1, ... 13 elements.
const std::string kKeys =
    "CONST INT 99 CONST INT -5 CONST INT 99 MAKE_SEGDES INDEX CONST INT 7 CONST INT 99 MAKE_SEGDES DIST INT "
    "% ";
const std::string kOne = "CONST INT 99 MAKE_SEGDES ";
const std::string kNested =
    "CONST INT 9 CONST INT -5 CONST INT 91 MAKE_SEGDES INDEX "
    "CONST INT 0 CONST INT 1 CONST INT 14 MAKE_SEGDES INDEX MAKE_SEGDES ";

}  // namespace

TEST_CASE("ranks that one permutation of the ranked reads are not made", "[sort]") {
  for (const std::string rank : {"RANK_UP ", "RANK_DOWN "}) {
    CHECK(sorts(kKeys + kOne + "COPY 2 0 " + rank + "INT CPOP 1 1 PERMUTE INT"));
    CHECK(sorts(kKeys + "I_TO_F " + kOne + "COPY 2 0 " + rank + "FLOAT CPOP 1 1 PERMUTE FLOAT"));
    CHECK(sorts(kNested + "COPY 2 0 " + rank + "INT CPOP 1 1 PERMUTE INT"));
  }
}

TEST_CASE("ranks that others read are made", "[sort]") {
  CHECK_FALSE(sorts(kKeys + kOne + "COPY 2 0 RANK_UP INT COPY 1 0 CPOP 3 1 CPOP 1 1 PERMUTE INT"));
  CHECK_FALSE(sorts(kKeys + "COPY 1 0 + INT " + kKeys + kOne + "RANK_UP INT " + kOne + "PERMUTE INT"));
}

TEST_CASE("a segment that does not fit its elements fails where RANK does", "[sort]") {
  Fixture f(main_of(kKeys + "CONST INT 98 MAKE_SEGDES COPY 2 0 RANK_UP INT CPOP 1 1 PERMUTE INT"));
  const Outcome outcome = f.interpret();
  REQUIRE(outcome.error.has_value());
  CHECK(outcome.error->instruction == "RANK_UP INT");
}
