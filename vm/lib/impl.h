// What is behind the handles of nvm.hpp; for the library itself and for the commands of nvm.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bytecode/base/budget.h"
#include "bytecode/load/load.h"
#include "vm/data/pool.h"
#include "vm/data/value.h"
#include "vm/interp/code.h"
#include "vm/interp/error.h"
#include "vm/interp/gate.h"
#include "vm/interp/world.h"
#include "vm/lib/nvm.hpp"

namespace nvm::lib {

struct Program::Impl {
  std::string file;
  std::string text;  // the source, to show the line of an error
  bool legacy = false;
  IntBits bits = IntBits::k64;
  std::optional<std::size_t>
      inputs;  // how many it takes, if that was declared; the front end gives unused ones, too
  Diagnostics diagnostics;
  Loaded loaded;
  vm::Pool pool{Budget::account() != nullptr ? Budget::account()->limit() : 0};  // of the constants
  vm::Code code;                                                                 // if the verdict is kOk
  // Whether it was read as VCODE.
  [[nodiscard]] bool has_stack_code() const { return !loaded.program.functions.empty(); }
  explicit Impl(std::string name, std::string_view source)
      : file(name), text(source), diagnostics(std::move(name), source) {}
};

// Members are destroyed in reverse order: the value before the memory it stands in.
struct Value::Impl {
  std::shared_ptr<const Program::Impl> program;
  std::shared_ptr<vm::Pool> pool;
  vm::Value value;
};

// What is wrong with a width of INT that a host asks for; nothing if there is it.
[[nodiscard]] inline std::optional<std::string> wrong_int_bits(int bits) {
  if (bits == 32 || bits == 64) return std::nullopt;
  return "INT of " + std::to_string(bits) + " bits: expected 32 or 64";
}

// A program made in this process by a front end, for the width of INT that it was made for.
[[nodiscard]] Result<Program> make_program(ssa::Module module, std::string name, const LoadOptions& options);

// Diagnostics as the user of the library gets them.
[[nodiscard]] std::vector<Message> messages_of(const Diagnostics& diagnostics);

// A value that was made outside of any machine, with the memory it stands in.
[[nodiscard]] Value loose_value(vm::Value value);
[[nodiscard]] vm::Pool& loose_pool();

[[nodiscard]] inline vm::Gate gate_of(const Capabilities& allow) {
  return vm::Gate(vm::Grants{allow.read, allow.write, allow.spawn});
}
[[nodiscard]] inline vm::Gate gate_of(const Options& options) {
  return options.untrusted ? vm::Gate::shut() : gate_of(options.allow);
}

// Tells one build from another.
[[nodiscard]] const std::string& build_name();

// The innermost line of a NESL source in the chain of calls, with its file (bytecode/program/origin.h), 0 if
// there is none.
[[nodiscard]] Origin origin_of(const vm::RunError& error);
// Where that is in a source of the program.
void set_origin(Failure& failure, Origin origin, const Program::Impl& program);

// Bytes that runs may take where nobody says how many.
[[nodiscard]] std::uint64_t machine_memory();
// For open calls: room for millions, but not for a recursion without end to take the machine's memory, or
// many seconds to fail. Who allows more memory, or names a depth, gets up to four times as much.
[[nodiscard]] std::size_t frame_memory(const Options& options);
// An account of no more than there is around it; 0: of what the machine has.
[[nodiscard]] std::shared_ptr<MemoryAccount> account_of(std::uint64_t memory);
// The account of what a machine or session takes: that of the thread's limits, unless it is to have less.
[[nodiscard]] std::shared_ptr<MemoryAccount> account_of(const Options& options);
[[nodiscard]] std::shared_ptr<vm::Pool> pool_of(const std::shared_ptr<MemoryAccount>& account);
// The text of a run-time error as the user sees it.
[[nodiscard]] std::string render(const vm::RunError& error, const Program::Impl& program);

}  // namespace nvm::lib
