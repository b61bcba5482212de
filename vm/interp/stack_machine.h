// The checking stack interpreter: executes a Program as it stands, operand stack and all, and checks kinds,
// counts and lengths before every instruction. Slower than the interpreter over SSA, and the only one for
// programs whose stack depends on data; also what vinterp -c runs. Same primitives, same results.
//
// Messages have the legacy wording (spec: diagnostics); several lines if several operands are wrong.
#pragma once

#include <span>
#include <vector>

#include "bytecode/program/program.h"
#include "vm/interp/machine.h"

namespace nvm::vm {

// Watches a stack machine. Everything is as it is before the instruction executes.
class StackObserver {
 public:
  virtual ~StackObserver() = default;
  virtual void before(std::int32_t function, std::size_t at, std::span<const Value> stack) = 0;
  // A call or a return has arrived in `function`, with `depth` calls open.
  virtual void moved(const char* how, std::int32_t function, std::size_t depth) = 0;
};

class StackMachine {
 public:
  // `program` must outlive the machine. Throws Fault if the constants cannot be made.
  StackMachine(const Program& program, const Machine& machine, std::span<const Value> inputs = {},
               StackObserver* observer = nullptr);

  [[nodiscard]] Outcome run();

 private:
  struct Activation {
    std::int32_t function;
    std::size_t next;
  };

  void loop();
  [[nodiscard]] bool step(const Instr& in);  // false: the program has ended
  void push_constant(std::size_t i);
  void check_room(std::size_t more) const;
  void shuffle(const Instr& in);
  void branch(const Instr& in);
  void call(const Instr& in);
  void pair();
  void unpair();
  void execute(const Instr& in);
  void need(const Instr& in, std::size_t entries) const;
  void burn_step() const;
  void count(std::int64_t work, std::uint64_t instructions) const;
  [[nodiscard]] RunError locate(const Fault& fault) const;

  const Program& program_;
  Machine machine_;
  StackObserver* observer_;
  std::vector<Value> constants_;
  std::vector<Value> stack_;
  std::vector<Activation> calls_;
  std::int32_t function_ = 0;
  std::size_t next_ = 0;  // instruction to execute
  bool exited_ = false;
};

}  // namespace nvm::vm
