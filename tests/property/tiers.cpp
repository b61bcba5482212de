// Whole programs, recorded and compiled, do what the interpreter does: values, faults, and what checks that
// fail print. Also under limits so small that they are met all the time.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "bytecode/ssa/passes.h"
#include "bytecode/verify/verify.h"
#include "tests/property/gen_program.h"
#include "vm/cpu/cpu_engine.h"
#include "vm/data/compare.h"
#include "vm/interp/interp.h"
#include "vm/tier/jit.h"

namespace nvm {
namespace {

using Numbers = std::vector<std::uint32_t>;

ssa::Module random_module() {
  const Numbers numbers =
      *rc::gen::resize(1500, rc::gen::container<Numbers>(rc::gen::resize(100, rc::gen::inRange(0U, ~0U))));
  Diagnostics diagnostics("random", "");
  const Program program = test::SegmentProgram(test::Choices(numbers), true).make(diagnostics);
  Diagnostics more("random", "");
  const VerifyResult verified = verify(program, more);
  RC_ASSERT(verified.verdict == Verdict::kOk);
  ssa::Module module = ssa::lower(program, verified.verified, IntBits::k64);
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

struct Limits {
  std::size_t insts = 200;
  std::size_t regions = 4096;
  std::size_t code = std::size_t{64} << 20;
  int threads = 1;
  // Expects each conditional to go as the bit of its block says, right or wrong.
  std::optional<std::uint64_t> guesses = {};
};

struct Result {
  vm::Outcome outcome;
  std::string written;
  vm::JitCounters counters;
};

void teach(vm::RegionHook& hook, const ssa::Module& module, std::uint64_t ways) {
  for (std::size_t f = 0; f < module.functions.size(); ++f)
    for (std::size_t b = 0; b < module.functions[f].blocks.size(); ++b)
      hook.decided({static_cast<ssa::FunctionId>(f), static_cast<ssa::BlockId>(b), 0},
                   (ways >> (b * 7 + f) % 64 & 1) != 0);
}

// `pool` and `code` belong to all runs, whose values are compared.
Result run(const vm::Code& code, vm::Pool& pool, plan::Engine* engine, const Limits& limits,
           plan::Fusion fusion) {
  Written written;
  vm::Host host({nullptr, nullptr, written.file(), {}, vm::RandomKind::kPhilox}, pool, IntBits::k64);
  vm::Machine machine;
  machine.prims.pool = &pool;
  machine.prims.random = &host.random();
  machine.prims.threads = limits.threads;
  machine.host = &host;
  machine.max_depth = 100;
  Result result;
  if (engine == nullptr) {
    result.outcome = vm::Interp(code, machine).run();
  } else {
    vm::Jit jit(*engine, machine.prims,
                {.mode = vm::JitMode::kAlways, .fusion = fusion, .max_regions = limits.regions});
    vm::Recorder recorder(jit, IntBits::k64,
                          {.min_elements = 1,
                           .max_insts = limits.insts,
                           .primitives = true,
                           .random = &host.random(),
                           .guard_after = limits.guesses ? 1U : 0U});
    if (limits.guesses) teach(recorder, *code.module, *limits.guesses);
    machine.hook = &recorder;
    result.outcome = vm::Interp(code, machine).run();
    result.counters = jit.counters();
  }
  result.written = written.text();
  return result;
}

std::string describe(const vm::RunError& e) {
  return e.message + "\n" + vm::describe_place(e, "") + std::to_string(e.depth);
}

void same(const Result& eager, const Result& lazy) {
  RC_ASSERT(eager.written == lazy.written);
  RC_ASSERT(eager.outcome.exited == lazy.outcome.exited);
  RC_ASSERT(eager.outcome.error.has_value() == lazy.outcome.error.has_value());
  if (eager.outcome.error) RC_ASSERT(describe(*eager.outcome.error) == describe(*lazy.outcome.error));
  RC_ASSERT(eager.outcome.values.size() == lazy.outcome.values.size());
  for (std::size_t i = 0; i < eager.outcome.values.size(); ++i)
    RC_ASSERT(vm::difference(eager.outcome.values[i], lazy.outcome.values[i]) == "");
}

void same_under(Limits limits, bool guess = false) {
  for (const auto isa : {vm::cpu::Isa::kAvx2, vm::cpu::Isa::kAvx512}) {
    if (!vm::cpu::isa_supported(isa)) continue;
    CHECK(rc::check("random programs", [&] {
      const ssa::Module module = random_module();
      if (guess) limits.guesses = *rc::gen::arbitrary<std::uint64_t>();
      vm::Pool pool;
      const vm::Code code = vm::make_code(module, pool);
      const auto engine = vm::cpu::make_engine({.isa = isa, .code_limit = limits.code});
      const auto fusion = static_cast<plan::Fusion>(*rc::gen::inRange(0, 3));
      const Result eager = run(code, pool, nullptr, limits, fusion);
      const Result lazy = run(code, pool, engine.get(), limits, fusion);
      RC_CLASSIFY(lazy.counters.fused > 0, "compiled");
      RC_CLASSIFY(lazy.counters.trapped > 0, "trapped");
      RC_CLASSIFY(eager.outcome.exited, "a check failed");
      RC_CLASSIFY(lazy.counters.stops[static_cast<std::size_t>(vm::RegionStop::kGuard)] > 0,
                  "a guess failed");
      same(eager, lazy);
    }));
  }
}

}  // namespace

TEST_CASE("compiled programs keep results, faults and messages") { same_under({}); }
TEST_CASE("so with several threads") { same_under({.threads = 3}); }
TEST_CASE("so with lines that go on behind conditionals") { same_under({}, true); }
TEST_CASE("and with short ones") { same_under({.insts = 4, .threads = 2}, true); }
TEST_CASE("regions of two instructions change nothing") { same_under({.insts = 2}); }
TEST_CASE("regions of one instruction change nothing") { same_under({.insts = 1}); }
TEST_CASE("keeping one region changes nothing") { same_under({.regions = 1}); }
TEST_CASE("a page for machine code changes nothing") { same_under({.code = 4096}); }
TEST_CASE("no memory for machine code changes nothing") { same_under({.code = 0}); }
TEST_CASE("all limits at once change nothing") { same_under({.insts = 3, .regions = 1, .code = 4096}); }

}  // namespace nvm
