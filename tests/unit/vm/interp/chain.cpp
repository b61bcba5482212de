// Lines of elementwise instructions that wait for each other give what they give one by one, bit for bit.
#include <catch2/catch.hpp>
#include <string>

#include "fixture.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

// Results with every vector long enough to wait, and with none.
void check_same(const std::string& body, IntBits bits = IntBits::k64) {
  for (const Isa isa : {Isa::kPortable, best_isa()}) {
    for (const int threads : {1, 3}) {
      std::string texts[2];
      for (const bool waits : {false, true}) {
        Fixture f(main_of(body), bits);
        REQUIRE(f.loaded.verdict == Verdict::kOk);
        f.machine.prims.isa = isa;
        f.machine.prims.threads = threads;
        f.machine.prims.grain = waits ? 64 : std::int64_t{1} << 40;
        texts[waits ? 1 : 0] = printed(f.interpret());
        CHECK((f.fast_paths[FastPath::kStripLoop] > 0) == waits);
      }
      INFO(body);
      CHECK(texts[0] == texts[1]);
    }
  }
}

// Segment lengths 0, 1, ... 99 and n = 4950 numbers from 0 on, and as FLOAT sevenths.
const std::string kSegments =
    "CONST INT 0 CONST INT 1 CONST INT 100 MAKE_SEGDES INDEX COPY 1 0 MAKE_SEGDES ";  // lengths, descriptor
const std::string kNumbers = "CONST INT 0 CONST INT 1 CONST INT 4950 MAKE_SEGDES INDEX ";
const std::string kSevenths =
    kNumbers + "I_TO_F CONST FLOAT 7.0 CONST INT 4950 MAKE_SEGDES DIST FLOAT / FLOAT ";

}  // namespace

TEST_CASE("a line ends in results and in reductions", "[chain]") {
  check_same(kSevenths + "COPY 1 0 * FLOAT SQRT COPY 1 0 CONST INT 4950 MAKE_SEGDES +_REDUCE FLOAT");
  check_same(kSevenths +
             "COPY 1 0 EXP COPY 1 1 + FLOAT FLOOR COPY 1 0 CONST INT 4950 MAKE_SEGDES MAX_REDUCE INT");
  check_same(kNumbers +
             "COPY 1 0 CONST INT 3 CONST INT 4950 MAKE_SEGDES DIST INT AND INT I_TO_B NOT BOOL B_TO_I "
             "CONST INT 4950 MAKE_SEGDES +_REDUCE INT");
}

TEST_CASE("a line works in either width of INT", "[chain]") {
  for (const IntBits bits : {IntBits::k32, IntBits::k64})
    check_same(kNumbers +
                   "COPY 1 0 * INT COPY 1 0 * INT COPY 1 0 I_TO_F COPY 1 0 COPY 1 0 > FLOAT COPY 1 1 TRUNC "
                   "COPY 1 3 SELECT INT",
               bits);
}

TEST_CASE("a line takes in what is distributed over segments", "[chain]") {
  check_same(kSegments + "DIST INT " + kNumbers + "+ INT COPY 1 0 * INT");
  check_same(kSegments + "COPY 1 1 CPOP 1 1 DIST INT COPY 1 0 CPOP 1 2 POP 1 0 COPY 1 0 * INT");
  check_same(kSegments +
             "DIST INT COPY 1 0 COPY 1 0 + INT CONST INT 4950 MAKE_SEGDES CPOP 1 2 CPOP 1 1 +_SCAN INT");
  check_same(kSegments + "COPY 1 1 COPY 1 1 DIST INT CPOP 1 2 I_TO_F CPOP 1 2 DIST FLOAT FLOOR - INT");
}

TEST_CASE("numbers and other lengths interrupt no line", "[chain]") {
  check_same(kNumbers +
             "COPY 1 0 + INT CONST INT 2 CONST INT 3 + INT CPOP 1 1 COPY 1 0 * INT COPY 1 0 "
             "CONST INT 4950 MAKE_SEGDES +_SCAN INT COPY 1 1 - INT");
}

TEST_CASE("a sum of a few numbers interrupts no line", "[chain]") {
  const std::string body =
      "CONST INT 0 CONST INT 1 CONST INT 400 MAKE_SEGDES INDEX COPY 1 0 MAKE_SEGDES "
      "COPY 1 1 COPY 1 1 DIST INT COPY 1 1 LENGTHS CONST INT 400 MAKE_SEGDES +_REDUCE INT "
      "COPY 1 1 COPY 1 0 - INT COPY 1 0 * INT CONST INT 79800 MAKE_SEGDES +_REDUCE INT CPOP 1 2 POP 1 0";
  check_same(body);
  Fixture f(main_of(body));
  REQUIRE(f.loaded.verdict == Verdict::kOk);
  f.machine.prims.threads = 2;
  f.machine.prims.grain = 64;
  REQUIRE_FALSE(f.interpret().error);
  CHECK(f.pool->stats().peak < 79800 * sizeof(std::int32_t));  // what waits is never written
}

TEST_CASE("the fault of a line's neighbour is told", "[chain]") {
  Fixture f(main_of(kNumbers + "COPY 1 0 + INT COPY 1 0 CONST INT (1 2) CONST INT 2 RAND POP 1 0 + INT"));
  f.machine.prims.grain = 64;
  const Outcome outcome = f.interpret();
  REQUIRE(outcome.error);
  CHECK(outcome.error->instruction == "+ INT");
}
