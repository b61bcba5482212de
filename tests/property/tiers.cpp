// Whole programs, recorded and compiled, do what the interpreter does: values, faults, and what checks that
// fail print. Also under limits so small that they are met all the time.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <optional>
#include <vector>

#include "tests/support/tier_run.h"
#include "vm/cpu/cpu_engine.h"

namespace nvm {
namespace {

using Numbers = std::vector<std::uint32_t>;

ssa::Module random_module(test::Calls calls) {
  const Numbers numbers =
      *rc::gen::resize(1500, rc::gen::container<Numbers>(rc::gen::resize(100, rc::gen::inRange(0U, ~0U))));
  std::optional<ssa::Module> module =
      test::random_segment_module(test::Choices(numbers), IntBits::k64, calls);
  RC_ASSERT(module.has_value());
  return *std::move(module);
}

// Lines that others were computed beside.
std::uint64_t aside = 0;

void same_under(test::TierLimits limits, bool guess = false, int* unrecorded = nullptr) {
  for (const auto isa : {vm::cpu::Isa::kAvx2, vm::cpu::Isa::kAvx512}) {
    if (!vm::cpu::isa_supported(isa)) continue;
    CHECK(rc::check("random programs", [&] {
      const ssa::Module module =
          random_module(unrecorded != nullptr ? test::Calls::kKept : test::Calls::kInlined);
      if (guess) limits.guesses = *rc::gen::arbitrary<std::uint64_t>();
      if (unrecorded != nullptr) limits.calls = *rc::gen::arbitrary<std::uint64_t>();
      vm::Pool pool;
      const vm::Code code = vm::make_code(module, pool);
      const auto engine = vm::cpu::make_engine({.isa = isa, .code_limit = limits.code});
      const auto fusion = static_cast<plan::Fusion>(*rc::gen::inRange(0, 3));
      const test::TierResult eager = test::run_tier(code, pool, nullptr, limits, fusion);
      const test::TierResult lazy = test::run_tier(code, pool, engine.get(), limits, fusion);
      RC_CLASSIFY(lazy.counters.fused > 0, "compiled");
      RC_CLASSIFY(lazy.counters.trapped > 0, "trapped");
      RC_CLASSIFY(eager.outcome.exited, "a check failed");
      RC_CLASSIFY(lazy.counters.stops[static_cast<std::size_t>(vm::RegionStop::kGuard)] > 0,
                  "a guess failed");
      if (unrecorded != nullptr) *unrecorded += lazy.unrecorded;
      aside += lazy.counters.stops[static_cast<std::size_t>(vm::RegionStop::kAside)];
      RC_ASSERT(test::difference(eager, lazy) == "");
    }));
  }
}

}  // namespace

TEST_CASE("compiled programs keep results, faults and messages") { same_under({}); }
TEST_CASE("so with several threads") { same_under({.threads = 3}); }
TEST_CASE("so with lines that go on behind conditionals") { same_under({}, true); }
TEST_CASE("and with short ones") { same_under({.insts = 4, .threads = 2}, true); }
TEST_CASE("lengths that are computed beside lines change nothing") {
  aside = 0;
  same_under({.aside = 0});
  CHECK(aside > 0);
}
TEST_CASE("calls that are not recorded change nothing") {
  int unrecorded = 0;
  same_under({}, false, &unrecorded);
  same_under({.insts = 4, .threads = 2}, false, &unrecorded);
  CHECK(unrecorded > 0);
}
TEST_CASE("regions of two instructions change nothing") { same_under({.insts = 2}); }
TEST_CASE("regions of one instruction change nothing") { same_under({.insts = 1}); }
TEST_CASE("keeping one region changes nothing") { same_under({.regions = 1}); }
TEST_CASE("a page for machine code changes nothing") { same_under({.code = 4096}); }
TEST_CASE("no memory for machine code changes nothing") { same_under({.code = 0}); }
TEST_CASE("all limits at once change nothing") { same_under({.insts = 3, .regions = 1, .code = 4096}); }

}  // namespace nvm
