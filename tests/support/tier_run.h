// One program under every way of executing it, as small limits as one likes: what it printed, its values and
// its error, to be held against the interpreter's.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bytecode/ssa/passes.h"
#include "bytecode/verify/verify.h"
#include "tests/property/gen_program.h"
#include "vm/data/compare.h"
#include "vm/interp/interp.h"
#include "vm/tier/jit.h"

namespace nvm::test {

// A random program in SSA; nothing if it does not verify.
inline std::optional<ssa::Module> random_segment_module(Choices choices, IntBits bits = IntBits::k64) {
  Diagnostics diagnostics("random", "");
  const Program program = SegmentProgram(std::move(choices), true).make(diagnostics);
  Diagnostics more("random", "");
  const VerifyResult verified = verify(program, more);
  if (verified.verdict != Verdict::kOk) return {};
  ssa::Module module = ssa::lower(program, verified.verified, bits);
  ssa::optimise(module, true);
  return module;
}

// What a program wrote to standard error.
class Written {
 public:
  Written() : file_(open_memstream(&text_, &size_)) {}
  ~Written() {
    std::fclose(file_);
    std::free(text_);
  }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  [[nodiscard]] std::FILE* file() const { return file_; }
  [[nodiscard]] std::string text() const {
    std::fflush(file_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

struct TierLimits {
  std::size_t insts = 200;
  std::size_t regions = 4096;
  std::size_t code = std::size_t{64} << 20;
  int threads = 1;
  // Expects each conditional to go as the bit of its block says, right or wrong.
  std::optional<std::uint64_t> guesses = {};
};

struct TierResult {
  vm::Outcome outcome;
  std::string written;
  vm::JitCounters counters;
};

inline void teach(vm::RegionHook& hook, const ssa::Module& module, std::uint64_t ways) {
  for (std::size_t f = 0; f < module.functions.size(); ++f)
    for (std::size_t b = 0; b < module.functions[f].blocks.size(); ++b)
      hook.decided({static_cast<ssa::FunctionId>(f), static_cast<ssa::BlockId>(b), 0},
                   (ways >> (b * 7 + f) % 64 & 1) != 0);
}

// The machine of a run, and what it writes to.
class TierMachine {
 public:
  TierMachine(const vm::Code& code, vm::Pool& pool, int threads)
      : bits_(code.module->int_bits),
        host_({nullptr, nullptr, written_.file(), {}, vm::RandomKind::kPhilox}, pool, bits_) {
    machine_.prims.pool = &pool;
    machine_.prims.int_bits = bits_;
    machine_.prims.random = &host_.random();
    machine_.prims.threads = threads;
    machine_.host = &host_;
    machine_.max_depth = 100;
  }
  [[nodiscard]] vm::Machine& machine() { return machine_; }
  // Again and again, for what is learnt of lines; the last outcome counts, but all that is written.
  [[nodiscard]] TierResult run(const vm::Code& code) {
    constexpr int kTimes = 4;
    TierResult result;
    for (int i = 0; i < kTimes; ++i) result.outcome = vm::Interp(code, machine_).run();
    result.written = written_.text();
    return result;
  }

 private:
  IntBits bits_;
  Written written_;
  vm::Host host_;
  vm::Machine machine_;
};

// `pool` and `code` belong to all runs, whose values are compared. Without an engine: the interpreter alone.
inline TierResult run_tier(const vm::Code& code, vm::Pool& pool, plan::Engine* engine,
                           const TierLimits& limits, plan::Fusion fusion) {
  TierMachine own(code, pool, limits.threads);
  if (engine == nullptr) return own.run(code);
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
  TierResult result = own.run(code);
  result.counters = jit.counters();
  return result;
}

inline std::string describe(const vm::RunError& e) {
  return e.message + "\n" + vm::describe_place(e, {}) + std::to_string(e.depth);
}

// In words, where two runs differ; empty if they do not.
inline std::string difference(const TierResult& eager, const TierResult& lazy) {
  const vm::Outcome &a = eager.outcome, &b = lazy.outcome;
  if (eager.written != lazy.written) return "written: " + eager.written + " and " + lazy.written;
  const std::string error = a.error ? describe(*a.error) : "", other = b.error ? describe(*b.error) : "";
  if (error != other) return "errors: " + error + " and " + other;
  if (a.exited != b.exited || a.values.size() != b.values.size()) return "the ways they end";
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (std::string d = vm::difference(a.values[i], b.values[i]); !d.empty())
      return "value " + std::to_string(i) + ": " + d;
  return "";
}

}  // namespace nvm::test
