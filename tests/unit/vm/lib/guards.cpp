// What is counted where lines go on behind conditionals.
#include <catch2/catch.hpp>

#include "vm/lib/nvm.hpp"

using namespace nvm::lib;

namespace {

// A loop of 39 passes, whose last decision is another than those before.
constexpr const char* kLoop =
    "FUNC MAIN CONST INT (1 2 3 4) CALL STEP RET\n"
    "FUNC STEP CONST INT 1 CONST INT 4 MAKE_SEGDES DIST INT + INT COPY 1 0 CONST INT 4 MAKE_SEGDES +_SCAN "
    "INT\n"
    "POP 1 0 COPY 1 0 CONST INT 40 CONST INT 4 MAKE_SEGDES DIST INT < INT CONST INT 4 MAKE_SEGDES OR_REDUCE "
    "BOOL\n"
    "IF COPY 1 0 CONST INT 4 MAKE_SEGDES MAX_REDUCE INT POP 1 0 CALL STEP ENDIF RET";

Counters counted(std::int64_t guard_after) {
  auto program = Program::from_text(kLoop, "t.vcode");
  REQUIRE(program);
  Options options;
  options.jit = Jit::kAlways;
  options.guard_after = guard_after;
  options.count = true;
  auto done = Vm(options).run(*program);
  REQUIRE(done);
  return done->counters;
}

}  // namespace

TEST_CASE("guards count nothing twice", "[lib]") {
  const Counters plain = counted(0), guarded = counted(1);
  CHECK(guarded.instructions == plain.instructions);
  CHECK(guarded.work == plain.work);
  CHECK((plain.regions == 0 || guarded.regions < plain.regions));
}
