// Random plans: the CPU engine computes what the reference evaluator computes, on both instruction sets, on
// one thread and on two, for both widths of INT.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "tests/property/gen_plan.h"
#include "tests/support/plan_runner.h"
#include "vm/cpu/code_memory.h"
#include "vm/cpu/codegen/kernel.h"
#include "vm/cpu/cpu_engine.h"

namespace {

using nvm::testing::Bindings;
using nvm::testing::PlanCase;

// Around the vector, the fold group, the sequential limit, the block, the fold block; the last two take
// several chunks.
constexpr std::int64_t kSizes[] = {0,    1,    2,    7,    8,    9,    31,   32,   33,    100,
                                   1023, 1024, 1025, 2047, 2049, 4095, 4097, 9000, 70000, 140000};

// Empty if both instruction sets agree with the reference on one thread and on two.
std::string disagreement(std::uint64_t seed, std::int64_t n, nvm::IntBits bits) {
  const PlanCase c = nvm::testing::PlanGenerator(seed, n, bits, false).make();
  nvm::plan::check(c.plan);
  Bindings wanted = c.inputs;
  const bool fine = evaluate(c.plan, wanted);
  for (const auto isa : {nvm::vm::cpu::Isa::kAvx512, nvm::vm::cpu::Isa::kAvx2}) {
    if (!isa_supported(isa)) continue;
    nvm::vm::cpu::EngineOptions options;
    options.isa = isa;
    std::string reason;
    const auto code = make_engine(options)->compile(c.plan, reason);
    for (const int threads : {1, 2}) {
      const auto run = code ? run_plan(*code, c.plan, c.inputs, threads) : nvm::testing::PlanRun{};
      std::string wrong = code ? run.trouble : "refused: " + reason;
      if (run.status != (fine ? nvm::plan::RunStatus::kDone : nvm::plan::RunStatus::kTrapped))
        wrong += " status " + std::to_string(static_cast<int>(run.status));
      else if (fine && code)
        wrong += differences(c.plan, wanted, run.results);
      if (!wrong.empty())
        return "seed " + std::to_string(seed) + ", n " + std::to_string(n) + ", " +
               std::string(isa_name(isa)) + ", threads " + std::to_string(threads) + ": " + wrong + "\n" +
               print(c.plan);
    }
  }
  return {};
}

}  // namespace

TEST_CASE("random plans give what the reference gives") {
  const bool held = rc::check("engine and reference agree", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto size = *rc::gen::elementOf(std::vector<std::int64_t>(std::begin(kSizes), std::end(kSizes)));
    const auto bits = *rc::gen::element(nvm::IntBits::k64, nvm::IntBits::k32);
    RC_ASSERT(disagreement(seed, size, bits) == "");
  });
  CHECK(held);
}

TEST_CASE("every size at least once") {
  std::uint64_t seed = 1;
  for (const std::int64_t n : kSizes)
    for (const auto bits : {nvm::IntBits::k64, nvm::IntBits::k32}) CHECK(disagreement(seed++, n, bits) == "");
}

TEST_CASE("scans of INT go on where a chunk ends inside of a fold block, because a segment ends there") {
  CHECK(disagreement(828618, 140000, nvm::IntBits::k64) == "");
  CHECK(disagreement(458386125409440, 70000, nvm::IntBits::k64) == "");
}

TEST_CASE("a divisor that is a scan counts only when the scan is settled") {
  CHECK(disagreement(3193427853339304885, 70000, nvm::IntBits::k32) == "");
}

TEST_CASE("packing 32-bit INT with AVX2 compiles where registers are short") {
  CHECK(disagreement(2794846153, 9, nvm::IntBits::k32) == "");
}

TEST_CASE("cosh is finite up to the last number whose cosh is") {
  CHECK(disagreement(428687662, 140000, nvm::IntBits::k32) == "");
}

TEST_CASE("of kernels for which there is no room no machine code is left") {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    for (const std::size_t limit : {300U, 1000U, 3000U}) {
      const PlanCase c = nvm::testing::PlanGenerator(seed, 100, nvm::IntBits::k64, false).make();
      nvm::vm::cpu::CodeMemory memory(nvm::vm::cpu::Isa::kAvx2, limit, false, nvm::vm::cpu::Perf::kOff);
      for (std::size_t k = 0; k < c.plan.kernels.size(); ++k) {
        std::string reason;
        const auto code = compile_kernel(c.plan, k, memory, reason);
        if (code)
          release_code(*code, memory);
        else
          ++refused;
        REQUIRE(memory.used() == 0);
      }
    }
  CHECK(refused > 0);
}
