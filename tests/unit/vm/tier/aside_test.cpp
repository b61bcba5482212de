// What a descriptor is made of is computed beside the line where the line would otherwise write long vectors.
#include <catch2/catch.hpp>

#include "tests/unit/vm/interp/fixture.h"
#include "vm/cpu/cpu_engine.h"
#include "vm/tier/jit.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

struct Ran {
  std::string text;
  std::uint64_t regions = 0, cut = 0, aside = 0;
  std::size_t peak = 0;
};

Ran run(const std::string& body, JitMode mode) {
  Fixture f(main_of(body));
  const auto engine = cpu::make_engine({});
  Jit jit(*engine, f.machine.prims, {.mode = mode});
  Recorder recorder(jit, IntBits::k64, {.min_elements = 1, .random = f.machine.prims.random});
  f.machine.hook = &recorder;
  Ran ran;
  ran.text = printed(f.interpret());
  ran.regions = jit.counters().regions;
  ran.cut = jit.counters().stops[static_cast<std::size_t>(RegionStop::kDescriptor)];
  ran.aside = jit.counters().stops[static_cast<std::size_t>(RegionStop::kAside)];
  ran.peak = f.pool->stats().peak;
  return ran;
}
std::string expected(const std::string& body) {
  Fixture f(main_of(body));
  return printed(f.on_stack());
}

std::string up_to(const std::string& n) {
  return "CONST INT 0 CONST INT 1 CONST INT " + n + " MAKE_SEGDES INDEX ";
}
// A hundred times `each`, computed.
std::string hundred(const std::string& each) {
  const std::string all = " CONST INT 100 MAKE_SEGDES DIST INT ";
  return up_to("100") + "CONST INT 0" + all + "* INT CONST INT " + each + all + "+ INT ";
}

}  // namespace

TEST_CASE("few lengths are computed beside a long line, which is not written for their sake") {
  const std::string body =
      up_to("1000000") + "COPY 1 0 + INT " + hundred("10000") + "MAKE_SEGDES +_REDUCE INT";
  for (const JitMode mode : {JitMode::kHot, JitMode::kAlways, JitMode::kCompare}) {
    const Ran ran = run(body, mode);
    CHECK(ran.text == expected(body));
    CHECK(ran.regions == 2);
    CHECK(ran.cut == 0);
    CHECK(ran.aside == 1);
    if (mode == JitMode::kAlways) CHECK(ran.peak < 1'000'000);
  }
}

TEST_CASE("where what is promised is no longer than the lengths, they end the line") {
  const std::string body = up_to("1000") + "COPY 1 0 + INT " + hundred("10") + "MAKE_SEGDES +_REDUCE INT";
  const Ran ran = run(body, JitMode::kAlways);
  CHECK(ran.text == expected(body));
  CHECK(ran.cut == 1);
}

TEST_CASE("what fails first in the program is told, though lengths beside it fail, too") {
  const std::string divided = up_to("1000000") + "COPY 1 0 COPY 1 0 - INT / INT ";
  for (const char* each : {"10000", "-1"}) {
    const std::string body = divided + hundred(each) + "MAKE_SEGDES +_REDUCE INT";
    const Ran ran = run(body, JitMode::kHot);
    CHECK(ran.text.find("division by zero") != std::string::npos);
    CHECK(ran.text == expected(body));
  }
  const std::string body = up_to("1000000") + hundred("-1") + "MAKE_SEGDES +_REDUCE INT";
  CHECK(run(body, JitMode::kHot).text == expected(body));
  // Lengths that fail while they are computed.
  const std::string lengths = hundred("5") + "COPY 1 0 COPY 1 0 - INT / INT MAKE_SEGDES +_REDUCE INT";
  for (const std::string& before : {divided, up_to("1000000")})
    CHECK(run(before + lengths, JitMode::kHot).text == expected(before + lengths));
}
