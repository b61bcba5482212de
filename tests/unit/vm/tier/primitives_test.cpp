// RANK, RAND and MAKE_SEGDES of computed lengths do not end a line where the engine calls primitives between
// its kernels; results, random numbers and faults are the interpreter's.
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
  std::vector<std::string> plans;
  std::int64_t found = 0;  // of the first line
  [[nodiscard]] std::uint64_t stopped(RegionStop stop) const {
    return counters.stops[static_cast<std::size_t>(stop)];
  }
};

struct How {
  JitMode mode = JitMode::kCompare;
  bool primitives = true;
  plan::Fusion fusion = plan::Fusion::kExact;
  IntBits bits = IntBits::k64;
  std::int64_t least = 1;  // elements
};

Ran run(const std::string& text, How how = {}) {
  Fixture f(text, how.bits);
  const auto engine = cpu::make_engine({});
  Jit jit(*engine, f.machine.prims, {.mode = how.mode, .fusion = how.fusion});
  Recorder recorder(
      jit, how.bits,
      {.min_elements = how.least, .primitives = how.primitives, .random = f.machine.prims.random});
  f.machine.hook = &recorder;
  Ran ran;
  ran.text = printed(f.interpret());
  ran.counters = jit.counters();
  if (!jit.entries().empty()) ran.found = jit.entries().front()->found;
  for (const auto& e : jit.entries()) ran.plans.push_back(plan::print(e->plan));
  return ran;
}

std::string expected(const std::string& text) {
  Fixture f(text);
  return printed(f.on_stack());
}

// The same in all modes; in one line, if the engine calls primitives.
void check_one_line(const std::string& body, const std::string& step) {
  const std::string text = main_of(body), wanted = expected(text);
  INFO(text);
  CHECK(wanted.find("error") == std::string::npos);
  for (const plan::Fusion fusion : {plan::Fusion::kOff, plan::Fusion::kGreedy, plan::Fusion::kExact}) {
    const Ran ran = run(text, {.fusion = fusion});
    CHECK(ran.text == wanted);
    CHECK(ran.counters.regions == 1);
    CHECK(ran.counters.fused == 1);
    REQUIRE(ran.plans.size() == 1);
    CHECK(ran.plans[0].find(step) != std::string::npos);
  }
  const Ran cut = run(text, {.primitives = false});
  CHECK(cut.text == wanted);
  CHECK(cut.counters.regions > 1);
  CHECK(run(text, {.mode = JitMode::kOff}).text == wanted);
}

// 0 .. 99, moved about.
const std::string kMoved =
    "CONST INT 0 CONST INT 37 CONST INT 100 MAKE_SEGDES INDEX CONST INT 101 CONST INT 100 MAKE_SEGDES DIST "
    "INT % ";
const std::string kAll = "CONST INT 100 MAKE_SEGDES ";
const std::string kDoubled = "COPY 1 0 + INT ";
// As many as the numbers modulo 4.
const std::string kLengths = kMoved + "CONST INT 3 " + kAll + "DIST INT AND INT ";

}  // namespace

TEST_CASE("a line goes on behind RANK") {
  check_one_line(kMoved + kAll + "RANK_UP INT " + kDoubled, "rank v0");
  check_one_line(kMoved + "I_TO_F " + kAll + "RANK_DOWN FLOAT " + kDoubled + kAll + "+_SCAN INT",
                 "rank down v0");
  check_one_line(kMoved + "CONST INT (30 0 70) MAKE_SEGDES RANK_UP INT " + kDoubled, "rank v0 by");
}

TEST_CASE("ranks within segments that a filter made") {
  check_one_line(kMoved + "COPY 1 0 CONST INT 50 " + kAll + "DIST INT < INT " +
                     "CONST INT (30 0 1 69) MAKE_SEGDES PACK INT RANK_DOWN INT " + kDoubled,
                 "rank down v0 by");
}

TEST_CASE("random numbers are those of the interpreter, in the order of the program") {
  const std::string below = kMoved + "CONST INT 1000 " + kAll + "DIST INT + INT ";
  check_one_line("CONST INT 3 SRAND INT POP 1 0 " + below + "RAND " + kDoubled, "random below v0");
  // One more draw between two that are recorded, and one that a value is asked for in between.
  const std::string text = main_of(below + "RAND CONST INT (9 9 9) RAND " + below + "RAND COPY 1 0 " + kAll +
                                   "MAX_REDUCE INT MAKE_SEGDES LENGTHS CONST INT (5 6) RAND");
  CHECK(run(text).text == expected(text));
  CHECK(run(text, {.primitives = false}).text == expected(text));
}

TEST_CASE("a line goes on under computed lengths") {
  check_one_line(kLengths + "MAKE_SEGDES " + kMoved + "COPY 1 1 DIST INT " + kDoubled + "CPOP 1 1 +_SCAN INT",
                 "segments of v0");
  check_one_line(kLengths + "MAKE_SEGDES " + kMoved + "COPY 1 1 DIST INT CPOP 1 1 +_REDUCE INT " + kDoubled,
                 "segments of v0");
  // All of one length, all empty, and none but one.
  for (const char* length : {"2", "0", "1"})
    check_one_line(kMoved + "COPY 1 0 - INT CONST INT " + std::string(length) + " " + kAll +
                       "DIST INT + INT MAKE_SEGDES " + kMoved + "COPY 1 1 DIST INT CPOP 1 1 +_REDUCE INT",
                   "segments of v0");
}

TEST_CASE("what lay under computed lengths is work of the line") {
  const std::string text = main_of(kLengths + "MAKE_SEGDES " + kMoved + "COPY 1 1 DIST INT " + kDoubled);
  CHECK(run(text).found >= 2 * 150);
  CHECK(run(main_of(kMoved + kAll + "RANK_UP INT " + kDoubled)).found == 0);
}

TEST_CASE("much work that comes out under way is compiled in the first run") {
  for (const bool much : {false, true}) {
    const std::string times = "CONST INT " + std::string(much ? "1000 " : "1 ") + kAll + "DIST INT * INT ";
    const std::string text = main_of(kMoved + times + "MAKE_SEGDES " + kMoved +
                                     "COPY 1 1 DIST INT COPY 1 0 * INT CPOP 1 1 +_REDUCE INT");
    INFO(text);
    const Ran ran = run(text, {.mode = JitMode::kHot});
    CHECK(ran.text == expected(text));
    CHECK(ran.counters.compiled == (much ? 1 : 0));
    CHECK(ran.counters.fused == (much ? 1 : 0));
  }
  // What fails then fails as ever.
  const std::string fails =
      main_of(kMoved + "CONST INT 1000 " + kAll + "DIST INT * INT MAKE_SEGDES " + kMoved +
              "COPY 1 1 DIST INT COPY 1 0 COPY 1 0 - INT / INT CPOP 1 1 +_REDUCE INT");
  const Ran ran = run(fails, {.mode = JitMode::kHot});
  CHECK(ran.text.find("division by zero") != std::string::npos);
  CHECK(ran.text == expected(fails));
}

TEST_CASE("of few lengths nobody knows how much lies under them: they end the line") {
  const std::string text =
      main_of(kMoved + kAll + "+_REDUCE INT CONST INT 40 % CONST INT 1 + INT MAKE_SEGDES " + kMoved + kAll +
              "+_REDUCE INT CPOP 1 1 DIST INT " + kDoubled);
  const Ran ran = run(text, {.least = 50});
  CHECK(ran.text == expected(text));
  CHECK(ran.stopped(RegionStop::kDescriptor) == 1);
  CHECK(run(text).stopped(RegionStop::kDescriptor) == 0);
}

TEST_CASE("one computed length is one segment") {
  check_one_line("CONST INT 0 CONST INT 1 " + kLengths + kAll + "+_REDUCE INT MAKE_SEGDES INDEX " + kDoubled,
                 "segments of v0");
}

TEST_CASE("the sum of the lengths of a descriptor is as long as what lies under it") {
  const std::string under = kLengths + "COPY 1 0 MAKE_SEGDES " + kMoved + "COPY 1 1 DIST INT ";
  const std::string sum = "CPOP 1 2 " + kAll + "+_REDUCE INT MAKE_SEGDES ";
  check_one_line(under + sum + "CPOP 1 2 POP 1 0 +_SCAN INT", "segments of v0");
}

TEST_CASE("what a primitive refuses is told as the interpreter tells it") {
  for (const std::string& body :
       {kMoved + "CONST INT 1 " + kAll + "DIST INT - INT MAKE_SEGDES LENGTHS", kMoved + "RAND " + kDoubled,
        kMoved + "CONST INT 99999999999999999 " + kAll + "DIST INT + INT MAKE_SEGDES LENGTHS"}) {
    const std::string text = main_of(body), wanted = expected(text);
    INFO(text);
    Fixture alone(text);
    CHECK(printed(alone.interpret()) == wanted);
    CHECK(run(text, {.mode = JitMode::kAlways}).text == wanted);
    CHECK(run(text).text == wanted);
  }
}

TEST_CASE("a number drawn for nothing may still fail") {
  const std::string text = main_of(kMoved + "RAND POP 1 0 CONST INT 1");
  CHECK(run(text).text == expected(text));
}

TEST_CASE("random numbers whose count or generator only a run knows end the line") {
  const std::string kept = kMoved + "COPY 1 0 CONST INT 50 " + kAll + "DIST INT < INT " + kAll +
                           "PACK INT POP 1 0 CONST INT 1 COPY 1 1 LENGTH INT MAKE_SEGDES DIST INT + INT ";
  const std::string text = main_of(kept + "RAND");
  const Ran ran = run(text);
  CHECK(ran.text == expected(text));
  CHECK(ran.stopped(RegionStop::kUncounted) == 1);
}

TEST_CASE("with INT of 32 bits, too") {
  for (const std::string& body : {kMoved + kAll + "RANK_UP INT " + kDoubled,
                                  kLengths + "MAKE_SEGDES " + kMoved + "COPY 1 1 DIST INT " + kDoubled}) {
    const std::string text = main_of(body);
    CHECK(run(text, {.bits = IntBits::k32}).text ==
          run(text, {.mode = JitMode::kOff, .bits = IntBits::k32}).text);
  }
}

TEST_CASE(
    "a descriptor of one length again and again, and the sum of such lengths, are known when recorded") {
  // Rows of as many elements each: their index, and one value for all that stands in as many places.
  const auto rows = [](const std::string& length) {
    return main_of("CONST INT " + length +
                   " CONST INT 50 MAKE_SEGDES DIST INT "  // lengths
                   "COPY 1 0 MAKE_SEGDES "                // lengths rows
                   "CONST INT 0 CONST INT 50 MAKE_SEGDES DIST INT "
                   "CONST INT 1 CONST INT 50 MAKE_SEGDES DIST INT "
                   "COPY 1 2 INDEX "                                              // lengths rows index
                   "COPY 1 2 CONST INT 50 MAKE_SEGDES +_REDUCE INT MAKE_SEGDES "  // ... whole
                   "COPY 1 1 CPOP 1 1 MAX_REDUCE INT");
  };
  for (const IntBits bits : {IntBits::k64, IntBits::k32}) {
    const Ran ran = run(rows("300"), {.primitives = false, .bits = bits});
    Fixture alone(rows("300"), bits);
    CHECK(ran.text == printed(alone.on_stack()));
    CHECK(ran.stopped(RegionStop::kDescriptor) == 0);
  }
  for (const char* bad : {"-1", "0"}) {
    const Ran ran = run(rows(bad), {.primitives = false});
    CHECK(ran.text == expected(rows(bad)));
  }
}
