// Recorded, fused and compiled execution equals eager execution, bit by bit.
#include <catch2/catch.hpp>

#include "tests/support/engines.h"
#include "tests/support/run_line.h"
#include "vm/cpu/cpu_engine.h"
#include "vm/cpu/isa.h"

using namespace nvm;
using namespace nvm::testing;

TEST_CASE("recorded lines executed eagerly equal eager lines") {
  RefusingEngine engine;
  vm::JitCounters total;
  int recorded = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    recorded += run_line(seed, engine, {.mode = vm::JitMode::kAlways}, IntBits::k64, total);
  CHECK(recorded > 2000);
  CHECK(total.refused > 100);
}

TEST_CASE("compiled lines equal eager lines on every instruction set") {
  for (const auto isa : {vm::cpu::Isa::kAvx2, vm::cpu::Isa::kAvx512}) {
    if (!vm::cpu::isa_supported(isa)) {
      WARN("this machine lacks " << vm::cpu::isa_name(isa) << "; its code is not tested");
      continue;
    }
    const auto engine = vm::cpu::make_engine({.isa = isa});
    for (const plan::Fusion fusion : {plan::Fusion::kOff, plan::Fusion::kGreedy, plan::Fusion::kExact}) {
      vm::JitCounters total;
      LeftToPrimitives left;
      for (std::uint64_t seed = 0; seed < 150; ++seed)
        for (const IntBits bits : {IntBits::k32, IntBits::k64})
          run_line(seed + 1000 * static_cast<std::uint64_t>(fusion), *engine,
                   {.mode = vm::JitMode::kAlways, .fusion = fusion}, bits, total, false, &left);
      CHECK(total.fused > 150);
      CHECK(left.ranks > 10);
      CHECK(left.random > 10);
      CHECK(left.segdes > 10);
    }
  }
}
