// One program under every way of executing it, as small limits as one likes, to be held against the
// interpreter.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "tests/support/program_run.h"
#include "vm/tier/jit.h"

namespace nvm::test {

struct TierLimits {
  std::size_t insts = 200;
  std::size_t regions = 4096;
  std::size_t code = std::size_t{64} << 20;
  int threads = 1;
  // Expects each conditional to go as the bit of its block says, right or wrong.
  std::optional<std::uint64_t> guesses = {};
};

struct TierResult : ProgramResult {
  vm::JitCounters counters;
};

inline void teach(vm::RegionHook& hook, const ssa::Module& module, std::uint64_t ways) {
  for (std::size_t f = 0; f < module.functions.size(); ++f)
    for (std::size_t b = 0; b < module.functions[f].blocks.size(); ++b)
      hook.decided({static_cast<ssa::FunctionId>(f), static_cast<ssa::BlockId>(b), 0},
                   (ways >> (b * 7 + f) % 64 & 1) != 0);
}

// `pool` and `code` belong to all runs, whose values are compared. Without an engine: the interpreter alone.
inline TierResult run_tier(const vm::Code& code, vm::Pool& pool, plan::Engine* engine,
                           const TierLimits& limits, plan::Fusion fusion) {
  WritingMachine own(code, pool, limits.threads);
  if (engine == nullptr) return {own.run(code), {}};
  vm::Machine& machine = own.machine();
  vm::Jit jit(*engine, machine.prims,
              {.mode = vm::JitMode::kAlways, .fusion = fusion, .max_regions = limits.regions});
  vm::Recorder recorder(jit, machine.prims.int_bits,
                        {.min_elements = 1,
                         .max_insts = limits.insts,
                         .primitives = true,
                         .random = machine.prims.random,
                         .guard_after = limits.guesses ? 1U : 0U});
  if (limits.guesses) teach(recorder, *code.module, *limits.guesses);
  machine.hook = &recorder;
  TierResult result{own.run(code), {}};
  result.counters = jit.counters();
  return result;
}

}  // namespace nvm::test
