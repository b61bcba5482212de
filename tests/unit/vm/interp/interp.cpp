#include "vm/interp/interp.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

#include "bytecode/program/builder.h"
#include "fixture.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

// Counts n down to 0 with a call that is not the last thing the function does.
const char* kDeep =
    "FUNC MAIN CONST INT %N% CALL DOWN RET\n"
    "FUNC DOWN COPY 1 0 CONST INT 0 = INT IF ELSE CONST INT 1 - INT CALL DOWN CONST INT 1 + INT ENDIF RET";
// The same in a call whose results are the caller's.
const char* kTail =
    "FUNC MAIN CONST INT %N% CALL DOWN RET\n"
    "FUNC DOWN COPY 1 0 CONST INT 0 = INT IF ELSE CONST INT 1 - INT CALL DOWN ENDIF RET";

// Notes what it is told of: "+:1 " for an instruction and its work, "24. " for bytes moved.
class Noting final : public Observer {
 public:
  explicit Noting(bool work) { see_work(work); }
  void begin(const ssa::Inst& inst, const Site&, std::int64_t work) override {
    text += std::string(op_info(inst.op).text) + ":" + std::to_string(work) + " ";
  }
  void moved(std::int64_t bytes) override { text += std::to_string(bytes) + ". "; }
  std::string text;
};

std::string with(std::string text, const std::string& n) { return text.replace(text.find("%N%"), 3, n); }

}  // namespace

TEST_CASE("the interpreter and the stack machine agree", "[interp]") {
  const std::string programs[] = {
      main_of("CONST INT (1 2 3) COPY 1 0 + INT CONST INT 3 MAKE_SEGDES COPY 2 0 +_SCAN INT"),
      main_of("CONST INT 1 CONST FLOAT 2.0 PAIR COPY 1 0 UNPAIR PAIR UNPAIR"),
      main_of("CONST BOOL T IF CONST INT 1 CONST INT 2 ELSE CONST INT 3 CONST INT 4 ENDIF"),
      main_of("CONST INT (5 6) CONST BOOL F IF CONST INT 1 CPOP 1 1 ELSE COPY 1 0 ENDIF"),
      "FUNC MAIN CONST INT 3 CALL G CONST INT 4 CALL G + INT RET FUNC G COPY 1 0 * INT RET",
      main_of("CONST INT (3 1 2) CONST BOOL (T F T) CONST INT (2 1) MAKE_SEGDES PACK INT"),
      main_of("CONST INT 1 EXIT CONST INT 2"),
      with(kDeep, "1000"),
      with(kTail, "1000"),
  };
  for (const std::string& text : programs) {
    for (const bool optimise : {false, true}) {
      Fixture f(text, IntBits::k64, optimise);
      INFO(text);
      CHECK(printed(f.interpret()) == printed(f.on_stack()));
    }
  }
}

TEST_CASE("values that change places in a jump keep their values", "[interp]") {
  for (const std::string moves :
       {"CPOP 1 1", "CPOP 1 2", "CPOP 1 2 CPOP 1 1", "CPOP 1 2 COPY 1 0 POP 1 2", "COPY 2 1 POP 2 2"}) {
    for (const std::string flag : {"T", "F"}) {
      const std::string body =
          "CONST INT (1 2) COPY 1 0 + INT CONST INT (3 4) COPY 1 0 + INT CONST INT (5 6) COPY 1 0 + INT ";
      Fixture f(main_of(body + "CONST BOOL " + flag + " IF " + moves + " ENDIF"), IntBits::k64, false);
      INFO(moves);
      REQUIRE(f.loaded.verdict == Verdict::kOk);
      CHECK(printed(f.interpret()) == printed(f.on_stack()));
    }
  }
}

TEST_CASE("a million open calls run", "[interp]") {
  Fixture f(with(kDeep, "1000000"));
  CHECK(printed(f.interpret()) == "( 1000000 )\n");
  CHECK(printed(f.on_stack()) == "( 1000000 )\n");
}

TEST_CASE("a call whose results are the caller's opens nothing", "[interp]") {
  Fixture f(with(kTail, "100000"));
  f.machine.max_depth = 3;
  CHECK(printed(f.interpret()) == "( 0 )\n");
}

TEST_CASE("endless recursion ends in an error", "[interp]") {
  Fixture f("FUNC MAIN CONST INT 0 CALL G RET FUNC G CONST INT 1 + INT CALL G CONST INT 1 + INT RET");
  f.machine.max_depth = 5000;
  CHECK(printed(f.interpret()) == "error: recursion limit: more than 5000 calls are open");
  CHECK(printed(f.on_stack()) == "error: recursion limit: more than 5000 calls are open");
  f.machine.max_depth = 0;
  f.machine.max_frame_bytes = 1 << 22;
  CHECK(printed(f.interpret()) == "error: recursion limit: open calls take more memory than allowed");
}

TEST_CASE("a fault names instruction, place and callers", "[interp]") {
  Fixture f(
      "FUNC MAIN\nCONST INT 0\nCALL G\nCONST INT 7 + INT RET\nFUNC G\nCONST INT 7\nCPOP 1 1\n  / INT\nCONST "
      "INT 1\n+ INT\nRET",
      IntBits::k64, false);
  for (const bool stack : {false, true}) {
    const Outcome outcome = stack ? f.on_stack() : f.interpret();
    REQUIRE(outcome.error);
    CHECK(outcome.error->kind == Fault::Kind::kDivide);
    CHECK(outcome.error->instruction == "/ INT");
    CHECK(outcome.error->at.function == "G");
    CHECK(outcome.error->at.pos == SourcePos{8, 3});
    REQUIRE(outcome.error->calls.size() == 1);
    CHECK(outcome.error->calls[0].function == "MAIN");
    CHECK(outcome.error->calls[0].pos.line == 3);
  }
}

TEST_CASE("an interpreter works again after a fault", "[interp]") {
  Fixture f(main_of("CONST INT (1 2) CONST INT (1 0) / INT"), IntBits::k64, false);
  Interp interp(f.code, f.machine);
  const std::size_t constants = f.pool->stats().live;
  for (int i = 0; i < 3; ++i) CHECK(interp.run().error);
  CHECK(f.pool->stats().live == constants);
}

TEST_CASE("a stop flag ends a run that would not end", "[interp]") {
  Fixture f(
      "FUNC MAIN CONST INT 0 CALL G RET FUNC G CONST INT 1 + INT COPY 1 0 CONST INT -1 = INT IF ELSE CALL G "
      "ENDIF RET");
  std::atomic<Stop> stop{Stop::kNo};
  f.machine.prims.stop = &stop;
  std::thread other([&stop] { stop = Stop::kInterrupt; });
  const Outcome outcome = f.interpret();
  other.join();
  REQUIRE(outcome.error);
  CHECK(outcome.error->kind == Fault::Kind::kInterrupted);
}

// Asks to stop at the first draw.
class Stopping final : public RandomSource {
 public:
  void seed(std::int64_t /*seed*/) override {}
  void draw(std::int64_t* out, std::int64_t n) override {
    std::fill_n(out, n, 1);
    drawn += n;
    stop = Stop::kTime;
  }
  std::int64_t drawn = 0;
  std::atomic<Stop> stop{Stop::kNo};
};

TEST_CASE("a stop that is asked for while the last instruction runs ends it, and the run", "[interp]") {
  for (const std::int64_t length : {std::int64_t{10}, std::int64_t{1'000'000}}) {
    Fixture f("FUNC MAIN CONST INT 5 CONST INT " + std::to_string(length) + " MAKE_SEGDES DIST INT RAND RET");
    Stopping random;
    f.machine.prims.random = &random;
    f.machine.prims.stop = &random.stop;
    const Outcome outcome = f.interpret();
    REQUIRE(outcome.error);
    CHECK(outcome.error->kind == Fault::Kind::kTime);
    CHECK(outcome.values.empty());
    CHECK(random.drawn <= 1024);
  }
}

TEST_CASE("a value that dies gives its memory to the result", "[interp]") {
  // 100 additions on 80 kB each; two vectors live at a time.
  std::string body = "CONST INT 1 CONST INT 10000 MAKE_SEGDES DIST INT ";
  for (int i = 0; i < 100; ++i) body += "CONST INT 2 CONST INT 10000 MAKE_SEGDES DIST INT + INT ";
  Fixture f(main_of(body), IntBits::k64, false);
  f.machine.prims.isa = Isa::kPortable;
  const Outcome outcome = f.interpret();
  REQUIRE(outcome.values.size() == 1);
  CHECK(f.pool->stats().peak <= 3 * 90000);
}

TEST_CASE("inputs stand for constants", "[interp]") {
  ProgramBuilder b("t");
  b.begin_function("MAIN");
  b.constant({TypeWord::kInt, {}, {}, 1});
  b.constant({TypeWord::kInt, {}, {}, 0});
  b.emit(Op::kSub, TypeWord::kInt);
  b.end_function();
  Diagnostics diagnostics("t", "");
  Fixture f(main_of(""));
  Loaded loaded = load_program(b.finish(diagnostics), diagnostics);
  const Code code = make_code(loaded.module, *f.pool);
  const Value inputs[] = {Vector::of_int(3), Vector::of_int(10)};
  CHECK(printed(Interp(code, f.machine, inputs).run()) == "( 7 )\n");
}

TEST_CASE("work and bytes are told to who wants them, of what is executed", "[interp]") {
  // A sum and a comparison of numbers; a division, which may fail; a sum of vectors; a number for each
  // element, which stays one.
  const std::string body =
      "CONST INT 1 CONST INT 2 + INT COPY 1 0 CONST INT 4 < INT CPOP 1 1 CONST INT 3 / INT "
      "CONST INT (1 2) COPY 1 0 + INT CONST INT 9 CONST SEGDES (2) DIST INT COPY 1 0 + INT";
  for (const bool work : {false, true}) {
    Fixture f(main_of(body), IntBits::k64, false);
    Noting noting(work);
    f.machine.observer = &noting;
    REQUIRE(!f.interpret().error);
    CHECK(noting.text ==
          (work ? "+:1 24. <:1 17. /:1 24. +:2 20. DIST:2 12. +:2 12. " : "+:0 <:0 /:0 +:0 DIST:0 +:0 "));
    CHECK(f.fast_paths[FastPath::kComputeRepeated] > 0);
  }
}
