// One program under every way of executing it, as small limits as one likes, to be held against the
// interpreter.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tests/support/program_run.h"
#include "vm/tier/jit.h"

namespace nvm::test {

struct TierLimits {
  std::size_t insts = 200;
  std::size_t regions = 4096;
  std::size_t code = std::size_t{64} << 20;
  int threads = 1;
  std::int64_t aside = std::int64_t{1} << 18;
  // Expects each conditional to go as the bit of its block says, right or wrong.
  std::optional<std::uint64_t> guesses = {};
  // Which calls are recorded, which are watched, and which are not recorded, by pairs of these bits.
  std::optional<std::uint64_t> calls = {};
};

struct TierResult : ProgramResult {
  vm::JitCounters counters;
  int unrecorded = 0;  // calls
};

// A compiling tier that has calls made as `ways` says.
class SomeCalls final : public vm::RegionExecutor {
 public:
  SomeCalls(vm::Jit& jit, std::uint64_t ways) : jit_(jit), ways_(ways) {}
  void execute(vm::RecordedRegion& region, std::span<vm::Value> outputs, vm::RecordedSite& failed) override {
    jit_.execute(region, outputs, failed);
  }
  [[nodiscard]] vm::CallWay call_begins(ssa::FunctionId, std::int64_t, std::int64_t depth) override {
    const auto way = static_cast<vm::CallWay>((ways_ >> (2 * calls_++) % 64 & 3) % 3);
    if (way == vm::CallWay::kWatched) open_.push_back(depth);
    unrecorded_ += way == vm::CallWay::kUnrecorded ? 1 : 0;
    return way;
  }
  std::int64_t call_ends(std::int64_t depth) override {
    while (!open_.empty() && open_.back() >= depth) open_.pop_back();
    return open_.empty() ? -1 : open_.back();
  }
  [[nodiscard]] int unrecorded() const { return unrecorded_; }

 private:
  vm::Jit& jit_;
  std::uint64_t ways_;
  std::uint64_t calls_ = 0;
  std::vector<std::int64_t> open_;
  int unrecorded_ = 0;
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
  SomeCalls some(jit, limits.calls.value_or(0));
  vm::RegionExecutor& executor = limits.calls ? static_cast<vm::RegionExecutor&>(some) : jit;
  vm::Recorder recorder(executor, machine.prims.int_bits,
                        {.min_elements = 1,
                         .max_insts = limits.insts,
                         .primitives = true,
                         .random = machine.prims.random,
                         .guard_after = limits.guesses ? 1U : 0U,
                         .aside_least = limits.aside});
  if (limits.guesses) teach(recorder, *code.module, *limits.guesses);
  machine.hook = &recorder;
  TierResult result{own.run(code), {}};
  result.counters = jit.counters();
  result.unrecorded = some.unrecorded();
  return result;
}

}  // namespace nvm::test
