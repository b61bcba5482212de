// Operands of legacy programs may be too long, also where flags are not written.
#include <catch2/catch.hpp>
#include <string>

#include "fixture.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

std::string number(std::int64_t x) { return "CONST INT " + std::to_string(x) + " "; }
std::string counted(std::int64_t from, std::int64_t n, std::int64_t by = 1) {
  return number(from) + number(by) + number(n) + "MAKE_SEGDES INDEX ";
}
std::string all(std::int64_t x, std::int64_t n) { return number(x) + number(n) + "MAKE_SEGDES DIST INT "; }

}  // namespace

TEST_CASE("the first flags are meant where there are more of them than elements") {
  for (const int threads : {1, 3}) {
    for (const std::string& flags :
         {counted(0, 1000) + all(500, 2000) + "< INT ", all(500, 1000) + counted(0, 2000) + "< INT ",
          all(500, 1000) + all(600, 2000) + "< INT ", counted(0, 1000) + counted(500, 2000, -1) + "< INT "}) {
      Fixture f(main_of(counted(0, 1000) + flags + number(1000) + "MAKE_SEGDES PACK INT"), IntBits::k32);
      REQUIRE(f.loaded.verdict == Verdict::kOk);
      f.machine.prims.threads = threads;
      f.machine.prims.prefix_lengths = true;
      CHECK(printed(f.interpret()) == printed(f.on_stack()));
    }
  }
}
