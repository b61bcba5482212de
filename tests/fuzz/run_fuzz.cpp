// Any text as a program: whatever the loader accepts runs to its end or to an error within small limits, on
// the interpreter and on the stack machine, and both agree on the results and on whether there is an error.
#include <sys/time.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bytecode/load/load.h"
#include "vm/interp/interp.h"
#include "vm/interp/stack_machine.h"
#include "vm/interp/text_io.h"

namespace {

using namespace nvm;
using namespace nvm::vm;

constexpr std::size_t kMemory = 4 << 20;
constexpr std::size_t kFrames = 1 << 20;
constexpr int kDepth = 300;
constexpr suseconds_t kMicroseconds = 50'000;

std::atomic<Stop> stop{Stop::kNo};

void start_clock() {
  stop = Stop::kNo;
  std::signal(SIGALRM, [](int) { stop = Stop::kTime; });
  const itimerval once{{0, 0}, {0, kMicroseconds}};
  ::setitimer(ITIMER_REAL, &once, nullptr);
}

std::FILE* nowhere() {
  static std::FILE* file = std::fopen("/dev/null", "r+");
  return file;
}

// What a run printed, "!" for an error, "" if a limit ended it.
template <typename Execute>
std::string run(Pool& pool, Execute execute) {
  HostOptions options;
  options.in = options.out = options.err = nowhere();
  Host host(options, pool, IntBits::k32);
  Machine machine;
  machine.prims.pool = &pool;
  machine.prims.int_bits = IntBits::k32;
  machine.prims.isa = best_isa();
  machine.prims.random = &host.random();
  machine.host = &host;
  machine.prims.stop = &stop;
  machine.max_depth = kDepth;
  machine.max_frame_bytes = kFrames;
  start_clock();
  const Outcome outcome = execute(machine);
  if (outcome.error) {
    const Fault::Kind kind = outcome.error->kind;
    const bool limit =
        kind == Fault::Kind::kTime || kind == Fault::Kind::kMemory || kind == Fault::Kind::kRecursion;
    return limit ? "" : "!";
  }
  std::string text = outcome.exited ? "exit" : "=";
  for (const Value& value : outcome.values) append_value(text, value);
  // The sign of a NaN is not part of a program's meaning.
  for (std::size_t at; (at = text.find("-nan")) != std::string::npos;) text.erase(at, 1);
  return text;
}

bool reads_clock(const Program& program) {
  for (const Function& f : program.functions)
    for (const Instr& in : f.code)
      if (in.op == Op::kStopTimer) return true;
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Diagnostics diagnostics("fuzz", text);
  LoadOptions options;
  options.int_bits = IntBits::k32;
  options.checked = true;
  const Loaded loaded = load_vcode(text, diagnostics, options);
  if (loaded.verdict == Verdict::kError) return 0;
  try {
    Pool pool(kMemory);
    const std::string stack =
        run(pool, [&](const Machine& m) { return StackMachine(loaded.program, m).run(); });
    if (loaded.verdict != Verdict::kOk) return 0;
    const Code code = make_code(loaded.module, pool);
    const std::string ssa = run(pool, [&](const Machine& m) { return Interp(code, m).run(); });
    if (stack.empty() || ssa.empty() || stack == ssa || reads_clock(loaded.program)) return 0;
    std::fprintf(stderr, "stack machine: %s\ninterpreter:   %s\n", stack.c_str(), ssa.c_str());
    std::abort();
  } catch (const Fault& fault) {
    return 0;  // constants that do not fit the memory, or that are no descriptor
  }
}
