// Compiled lines of interpreters that work alone: what they leave behind is what the primitives leave.
#include "vm/tier/lines.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/fast_paths.h"
#include "tests/unit/vm/interp/fixture.h"
#include "vm/cpu/cpu_engine.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

// v + v and half of that for 1000 numbers v, and a descriptor of as many segments of length 2.
constexpr const char* kHalves =
    "FUNC MAIN CONST INT 0 CONST INT 1 CONST INT 1000 MAKE_SEGDES INDEX CONST INT 1000 MAKE_SEGDES CALL "
    "HALVES "
    "RET "
    "FUNC HALVES CPOP 1 1 COPY 1 0 + INT CONST INT 2 COPY 1 2 DIST INT COPY 2 0 / INT CPOP 1 1 MAKE_SEGDES "
    "RET";

// HALVES with lines, which lifted functions have.
struct WithLines : Fixture {
  WithLines() : Fixture(kHalves, IntBits::k64, false) {
    loaded.module.functions.at(1).lifted.lifted = true;
    code = make_code(loaded.module, *pool);
  }
};

}  // namespace

TEST_CASE("a line of sums and quotients is compiled once and gives what the primitives give") {
  const auto engine = cpu::make_engine();
  if (engine == nullptr) return;
  WithLines f;
  const std::string want = printed(f.interpret());
  Lines lines(f.code, *engine, {.mode = JitMode::kAlways});
  const auto hook = lines.hook(f.machine.prims);
  f.machine.lines = hook.get();
  CHECK(printed(f.interpret()) == want);
  CHECK(printed(f.interpret()) == want);
  CHECK(lines.counters().compiled == 1);
  testing::check_taken(f.fast_paths, {FastPath::kLineCompiled});
}

TEST_CASE("a value that a line distributes stays unwritten for those behind it") {
  const WithLines f;
  const CodeFunction& function = f.code.functions.at(1);
  std::vector<Value> frame(static_cast<std::size_t>(function.slots));
  frame.at(0) = f.pool->vector(Storage::kI64, 1000);
  frame.at(1) = Segdes::regular(1, 1000);
  const auto variant = trace_line(function, function.lines.at(0), frame.data(), f.code.constants,
                                  std::vector<bool>(f.code.constants.size(), false), IntBits::k64);
  REQUIRE(variant != nullptr);
  const auto count = [&](LinePut::Kind kind) {
    return std::count_if(variant->puts.begin(), variant->puts.end(),
                         [&](const LinePut& p) { return p.kind == kind; });
  };
  CHECK(count(LinePut::Kind::kMade) == 2);
  CHECK(count(LinePut::Kind::kRepeated) == 1);
}
