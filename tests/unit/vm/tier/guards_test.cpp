// Lines that go on behind conditionals which went the same way before: fewer lines, the same results, also
// where a decision then goes the other way.
#include <catch2/catch.hpp>

#include "tests/unit/vm/interp/fixture.h"
#include "vm/cpu/cpu_engine.h"
#include "vm/tier/jit.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

struct Ran {
  std::string text;
  JitCounters counters;
  [[nodiscard]] std::uint64_t missed() const {
    return counters.stops[static_cast<std::size_t>(RegionStop::kGuard)];
  }
};

Ran run(const std::string& text, std::uint32_t guard_after) {
  Fixture f(text);
  const auto engine = cpu::make_engine({});
  Jit jit(*engine, f.machine.prims, {.mode = JitMode::kAlways});
  Recorder recorder(jit, f.machine.prims.int_bits, {.min_elements = 1, .guard_after = guard_after});
  f.machine.hook = &recorder;
  return {printed(f.interpret()), jit.counters()};
}

std::string expected(const std::string& text) {
  Fixture f(text);
  return printed(f.on_stack());
}

// Adds 1 to each of eight numbers until none is below `limit`, which is one pass less; `then` with the
// numbers on the stack, then another step, which ends in `behind`.
std::string steps(const std::string& then, const std::string& behind, const std::string& last = "",
                  int limit = 41) {
  return "FUNC MAIN CONST INT (1 2 3 4 5 6 7 8) CALL STEP " + last +
         " RET\n"
         "FUNC STEP CONST INT 1 CONST INT 8 MAKE_SEGDES DIST INT + INT\n"
         "COPY 1 0 CONST INT " +
         std::to_string(limit) +
         " CONST INT 8 MAKE_SEGDES DIST INT < INT CONST INT 8 MAKE_SEGDES OR_REDUCE "
         "BOOL\n"
         "IF " +
         then + " CALL STEP " + behind + " ENDIF RET";
}

}  // namespace

TEST_CASE("a loop whose condition holds is recorded over several passes") {
  const std::string text = steps("", "");
  const Ran plain = run(text, 0);
  const Ran guarded = run(text, 3);
  CHECK(plain.text == expected(text));
  CHECK(guarded.text == plain.text);
  CHECK(plain.missed() == 0);
  CHECK(guarded.missed() == 1);  // the last pass
  CHECK(guarded.counters.regions * 3 < plain.counters.regions);
}

TEST_CASE("open calls are come back to") {
  const std::string text =
      steps("", "COPY 1 0 + INT CONST INT 1000003 CONST INT 8 MAKE_SEGDES DIST INT %", "", 10);
  for (const std::uint32_t after : {1U, 2U, 5U}) {
    const Ran ran = run(text, after);
    CHECK(ran.text == expected(text));
    CHECK(ran.missed() >= 1);
  }
}

TEST_CASE("numbers drawn where control did not go are drawn again") {
  const std::string draw =
      "CONST INT 1000 CONST INT 8 MAKE_SEGDES DIST INT RAND CONST INT 7 CONST INT 8 MAKE_SEGDES DIST INT % "
      "CONST INT 8 MAKE_SEGDES MIN_REDUCE INT CONST INT 8 MAKE_SEGDES DIST INT + INT";
  const std::string text =
      "FUNC MAIN CONST INT 3 SRAND INT POP 1 0 " +
      steps(draw, "", "CONST INT 1000000 CONST INT 3 MAKE_SEGDES DIST INT RAND").substr(9);
  const std::string wanted = expected(text);
  CHECK(wanted.find("error") == std::string::npos);
  CHECK(run(text, 0).text == wanted);
  CHECK(run(text, 1).text == wanted);
}

TEST_CASE("what fails where control did not go has not failed") {
  // By as many as the numbers below 41: none, at the end.
  const std::string divide =
      "COPY 1 0 CONST INT 41 CONST INT 8 MAKE_SEGDES DIST INT < INT B_TO_I CONST INT 8 MAKE_SEGDES +_REDUCE "
      "INT "
      "CONST INT 8 MAKE_SEGDES DIST INT COPY 1 1 COPY 1 1 / INT POP 1 0 POP 1 0";
  const std::string text = steps(divide, "");
  const Ran ran = run(text, 2);
  CHECK(ran.text == expected(text));
  CHECK(ran.missed() >= 1);
}

TEST_CASE("what fails before a guard is told as without it") {
  // 30 is the first number that a pass of the loop divides by nothing.
  const std::string divide =
      "CONST INT 30 CONST INT 8 MAKE_SEGDES DIST INT COPY 1 1 - INT CONST INT 99 CONST INT 8 MAKE_SEGDES "
      "DIST INT "
      "COPY 1 1 / INT POP 2 0";
  const std::string text = steps(divide, "");
  REQUIRE(expected(text).find("error") == 0);
  CHECK(run(text, 2).text == expected(text));
}
