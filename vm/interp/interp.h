// The interpreter: executes SSA, instruction by instruction, on an explicit stack of frames. The reference
// for all other tiers. One object runs one thing at a time; several may share a Code and work at once.
#pragma once

#include <span>
#include <vector>

#include "vm/interp/accounts.h"
#include "vm/interp/call_stack.h"
#include "vm/interp/code.h"
#include "vm/interp/combined.h"
#include "vm/interp/executor.h"
#include "vm/interp/frames.h"
#include "vm/interp/machine.h"
#include "vm/interp/pending_call.h"
#include "vm/interp/pulls.h"
#include "vm/interp/recording.h"
#include "vm/interp/registers.h"
#include "vm/interp/strided_places.h"
#include "vm/interp/strip_line.h"

namespace nvm::vm {

class Interp final {
 public:
  // `code` must outlive the interpreter, and so must what `machine` points to. `inputs` are the values of
  // the program's input constants, by number.
  Interp(const Code& code, const Machine& machine, std::span<const Value> inputs = {});

  // Runs the entry function.
  [[nodiscard]] Outcome run();
  // Runs one function; `arguments` are those of its type. `callers` more calls are open outside and count as
  // depth.
  [[nodiscard]] Outcome call(ssa::FunctionId function, std::vector<Value> arguments,
                             std::int64_t callers = 0);
  // The same of a function that may go by levels (level_loop.h), its results wanted at `destination`: the
  // outcome has no values. It may fault where call() does not.
  [[nodiscard]] Outcome call_into(ssa::FunctionId function, std::vector<Value> arguments,
                                  std::int64_t callers, const Destination& destination);
  // May it?
  [[nodiscard]] bool goes_by_levels(ssa::FunctionId function, std::span<const Value> arguments) const;

 private:
  struct Guarded;
  void enter(ssa::FunctionId function, std::vector<Value>& arguments);
  // What went wrong, and where; then nothing of the run is kept.
  void give_up(Outcome& outcome, const Fault& fault);
  void forget();
  void run_through();
  void settle(const Fault& fault);
  void go_to(Place place, std::span<Value> values);
  // How far the run has come is kept, or taken from there (checkpoints.cpp).
  void keep();
  [[nodiscard]] bool go_on();  // false: it has to begin
  void divert(const FailedCheck& check);
  // Conditionals that are passed on trust (guards.cpp).
  [[nodiscard]] std::optional<bool> pass_guarded(const Step& step, Value& flag);
  [[nodiscard]] std::shared_ptr<Crossing> crossing(const Step& step) const;
  void go_back(const MissedGuard& missed);
  void loop();
  void open_call(const Step& step);
  [[nodiscard]] bool tail_call(const Step& step);  // false: it was the outermost, and is done
  [[nodiscard]] bool offer_call(const Step& step, std::int64_t depth, Value* arguments);
  [[nodiscard]] bool return_called();
  [[nodiscard]] bool condition(const Step& step);
  [[nodiscard]] bool close_call(const Step& step);  // false: it was the outermost

  void run_chain();

  // Tail-parallel recursion (level_loop.cpp).
  [[nodiscard]] bool call_by_levels(ssa::FunctionId function, std::vector<Value> arguments,
                                    std::int64_t callers, const Destination* destination, Outcome& outcome);
  void run_levels(ssa::FunctionId function, std::vector<Value> arguments, Destination destination);
  void check_levels(std::int64_t level, std::int32_t slots) const;

  void force(Value& value) const {
    if (machine_.hook != nullptr) machine_.hook->force(value);
  }

  const Code& code_;
  Machine machine_;
  Accounts accounts_;
  Registers at_;
  CallStack calls_;
  Frames frames_;
  bool guards_;  // the hook may pass conditionals on trust
  ViewPolicy views_;
  const Room shared_;
  StridedPlaces strided_;
  Pulls pulls_;
  Combined combined_;
  PendingCall pending_;
  StripLine line_;
  Executor exec_;
  Recording recording_;
  std::vector<Value> values_;  // results of the outermost call
  std::vector<Value> called_;  // results of a call that the hook made

  bool exited_ = false;
  Origin exit_line_ = 0;
};

}  // namespace nvm::vm
