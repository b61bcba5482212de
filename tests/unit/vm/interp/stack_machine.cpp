#include "vm/interp/stack_machine.h"

#include <catch2/catch.hpp>

#include "fixture.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

std::string stack_run(const std::string& body) {
  Fixture f(main_of(body), IntBits::k32);
  return printed(f.on_stack());
}

}  // namespace

TEST_CASE("what the stack holds may depend on data", "[stack_machine]") {
  Fixture f(
      "FUNC MAIN CONST INT 3 CALL S RET\n"
      "FUNC S COPY 1 0 CONST INT 0 = INT IF ELSE COPY 1 0 CONST INT 1 - INT CALL S ENDIF RET");
  CHECK(f.loaded.verdict == Verdict::kDynamicStack);
  CHECK(printed(f.on_stack()) == "( 3 )\n( 2 )\n( 1 )\n( 0 )\n");
}

TEST_CASE("operands are checked before every instruction", "[stack_machine]") {
  const std::string aborting = "\naborting: failed argument check.";
  CHECK(stack_run("CONST INT 1 + INT") == "error: Only 1 values on stack; + reqires 2.");
  CHECK(stack_run("CONST INT 1 CONST FLOAT 1.0 + INT") ==
        "error: type mismatch.  Stack[1] is Float, function + expects Int" + aborting);
  CHECK(stack_run("CONST BOOL T CONST FLOAT 1.0 + INT") ==
        "error: type mismatch.  Stack[0] is Bool, function + expects Int\n"
        "type mismatch.  Stack[1] is Float, function + expects Int" +
            aborting);
  CHECK(stack_run("CONST INT (1 2) CONST INT 1 + INT") ==
        "error: length mismatch between args 0(2) and 1(1) in +." + aborting);
  CHECK(stack_run("CONST INT (1 2) CONST INT 3 MAKE_SEGDES +_SCAN INT") ==
        "error: Args 0 and 1 to +_SCAN are incompatible." + aborting);
  CHECK(stack_run("CONST INT (1 2) CONST INT (1 0) CONST INT 2 MAKE_SEGDES EXTRACT INT") ==
        "error: length mismatch between args 1(2) and 2(1) in EXTRACT." + aborting);
  CHECK(stack_run("COPY 1 0") == "error: can't do a COPY 1 0; only 0 items on the stack.");
  CHECK(stack_run("CONST INT 5 IF ENDIF") == "error: IF: top of stack not bool scalar.");
  CHECK(stack_run("CONST INT 1 UNPAIR") == "error: attempting to UNPAIR an non-pair (Int)");
  CHECK(stack_run("CONST INT 3 MAKE_SEGDES LENGTH INT") == "error: applying LENGTH to a segment descriptor.");
  CHECK(stack_run("CONST INT 3 LENGTHS") == "error: applying LENGTHS to a non-segment descriptor.");
  CHECK(stack_run("CONST CHAR \"f\" CONST INT 4 FOPEN") == "error: FOPEN: top of stack (4) not legal mode.");
  CHECK(stack_run("CONST INT 1 CONST INT 1 PAIR WRITE INT") ==
        "error: internal error: Illegally typed vector.");
}

TEST_CASE("work is that of the interpreter", "[stack_machine]") {
  Fixture f(main_of("CONST INT 1 CONST INT 1 CONST INT 1000 MAKE_SEGDES INDEX COPY 1 0 CONST INT 1000 "
                    "MAKE_SEGDES +_REDUCE INT CONST BOOL T IF CONST INT 2 + INT ENDIF"),
            IntBits::k64, false);
  Tally expected, counted;
  expected.counts_bytes = counted.counts_bytes = true;
  f.machine.tally = &expected;
  CHECK_FALSE(f.interpret().error);
  f.machine.tally = &counted;
  CHECK_FALSE(f.on_stack().error);
  CHECK(counted.work > 2000);
  CHECK(counted.work == expected.work);
  CHECK(counted.instructions == expected.instructions);
  CHECK(counted.bytes == expected.bytes);
  counted.fuel = counted.spent() + 100;
  CHECK(f.on_stack().error);
}

TEST_CASE("blocks of the stack move as the reference says", "[stack_machine]") {
  const std::string six = "CONST INT 0 CONST INT 1 CONST INT 2 CONST INT 3 CONST INT 4 CONST INT 5 ";
  const auto after = [&](const std::string& shuffle) {
    std::string digits;
    for (const char c : stack_run(six + shuffle))
      if (c >= '0' && c <= '9') digits += c;
    return digits;
  };
  CHECK(after("COPY 2 3") == "01234512");
  CHECK(after("POP 2 3") == "0345");
  CHECK(after("CPOP 2 3") == "034512");
  CHECK(after("CPOP 1 5") == "123450");
  CHECK(after("CPOP 3 3") == "345012");
  CHECK(after("COPY 6 0") == "012345012345");
  CHECK(after("CPOP 2 0 CPOP 0 3 COPY 0 0 POP 0 2") == "012345");
}
