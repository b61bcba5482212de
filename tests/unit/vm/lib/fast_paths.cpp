// The counts of fast ways to execute (vm/data/fast_paths.def) that a run has.
#include <catch2/catch.hpp>
#include <string>

#include "vm/data/fast_paths.h"
#include "vm/lib/nvm.hpp"

using namespace nvm;
using namespace nvm::lib;
using vm::FastPath;

namespace {

std::uint64_t taken(const Options& options, const std::string& body, vm::FastPath path) {
  auto program = Program::from_text("FUNC MAIN " + body + " RET", "t.vcode", {});
  REQUIRE(program);
  Vm machine(options);
  auto run = machine.run(*program, {});
  REQUIRE(run);
  for (const auto& [name, times] : run->counters.fast_paths)
    if (name == vm::kFastPathNames[static_cast<std::size_t>(path)]) return times;
  return 0;
}

const std::string kSquares =
    "CONST INT 0 CONST INT 1 CONST INT 100000 MAKE_SEGDES INDEX COPY 1 0 * INT COPY 1 0 + INT "
    "CONST INT 100000 MAKE_SEGDES +_REDUCE INT";

}  // namespace

TEST_CASE("a run says which fast ways it went", "[lib]") {
  Options options;
  options.threads = 1;
  options.jit = Jit::kOff;
  CHECK(taken(options, kSquares, FastPath::kStripLoop) == 1);
  CHECK(taken(options, kSquares, FastPath::kKernels) == 0);
  options.jit = Jit::kAlways;
  CHECK(taken(options, kSquares, FastPath::kStripLoop) == 0);
  CHECK(taken(options, kSquares, FastPath::kKernels) > 0);
}
