// Runs VCODE text through the interpreter and the stack machine for the tests of vm/interp.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "bytecode/load/load.h"
#include "vm/interp/interp.h"
#include "vm/interp/stack_machine.h"
#include "vm/interp/text_io.h"

namespace nvm::vm {

// One loaded program and everything a run needs.
struct Fixture {
  explicit Fixture(const std::string& text, IntBits bits = IntBits::k64, bool optimise = true)
      : diagnostics("t.vcode", text), pool(std::make_unique<Pool>()), host(HostOptions{}, *pool, bits) {
    LoadOptions options;
    options.int_bits = bits;
    options.optimise = optimise;
    options.checked = true;
    loaded = load_vcode(text, diagnostics, options);
    if (loaded.program.functions.empty()) throw std::runtime_error(diagnostics.render());
    machine.prims.pool = pool.get();
    machine.prims.int_bits = bits;
    machine.prims.isa = best_isa();
    machine.prims.random = &host.random();
    machine.host = &host;
    machine.prims.fast_paths = &fast_paths;
    if (loaded.verdict == Verdict::kOk) code = make_code(loaded.module, *pool);
  }

  Outcome interpret() { return Interp(code, machine).run(); }
  Outcome on_stack() { return StackMachine(loaded.program, machine).run(); }

  Diagnostics diagnostics;
  Loaded loaded;
  std::unique_ptr<Pool> pool;
  Code code;
  Host host;
  FastPathCounts fast_paths;
  Machine machine;
};

inline std::string printed(const Outcome& outcome) {
  if (outcome.error) return "error: " + outcome.error->message;
  if (outcome.exited) return "exit";
  std::string text;
  for (const Value& value : outcome.values) append_value(text, value);
  return text;
}

// MAIN around a body.
inline std::string main_of(const std::string& body) { return "FUNC MAIN " + body + " RET"; }

}  // namespace nvm::vm
