// The interpreter: executes SSA, instruction by instruction, on an explicit stack of frames. The reference
// for all other tiers. One object runs one thing at a time; several may share a Code and work at once.
#pragma once

#include <span>
#include <vector>

#include "vm/interp/accounts.h"
#include "vm/interp/call_stack.h"
#include "vm/interp/code.h"
#include "vm/interp/frames.h"
#include "vm/interp/machine.h"
#include "vm/interp/registers.h"
#include "vm/prims/chain.h"
#include "vm/prims/views.h"

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
  // The same of a function that may go by levels (level_loop.h), its results wanted at `landing`: the outcome
  // has no values. It may fault where call() does not.
  [[nodiscard]] Outcome call_into(ssa::FunctionId function, std::vector<Value> arguments,
                                  std::int64_t callers, const Landing& landing);
  // May it?
  [[nodiscard]] bool goes_by_levels(ssa::FunctionId function, std::span<const Value> arguments) const;

 private:
  struct Place;
  void enter(ssa::FunctionId function, std::vector<Value>& arguments);
  // What went wrong, and where; then nothing of the run is kept.
  void give_up(Outcome& outcome, const Fault& fault);
  void forget();
  void run_through();
  void settle(const Fault& fault);
  void divert(const Site& branch);
  // Conditionals that are passed on trust (guards.cpp).
  [[nodiscard]] std::optional<bool> pass_guarded(const Step& step, Value& flag);
  [[nodiscard]] std::shared_ptr<Crossing> crossing(const Step& step) const;
  void go_back(const MissedGuard& missed);
  void loop();
  // Counts also what is moved, if somebody asks.
  void primitive(const Step& step) {
    if ((step.leaves_pull || step.takes_pull) && !(step.lands && in_level()) && pull(step)) return;
    if (accounts_.counts_moved() && machine_.hook == nullptr) [[unlikely]]
      return perform_counted(step);
    perform(step);
  }
  void perform(const Step& step);
  void perform_counted(const Step& step);
  [[nodiscard]] bool count_plain(const Step& step);
  void write_repeated(Value& value) const;
  [[nodiscard]] bool run_line(const Step& step);
  void shuffle(const Step& step);
  void execute(const Step& step, std::span<Value> operands, std::span<Value> results);
  void compute(const Step& step, std::span<Value> operands, std::span<Value> results);
  void execute_here(const Step& step, std::span<Value> operands, std::span<Value> results);
  void execute_counted(const Step& step, std::span<Value> operands, std::span<Value> results);
  [[nodiscard]] bool alike(const Step& step, std::int32_t slot);
  void repeat_alike(std::span<Value> arguments) const;
  [[nodiscard]] bool pack_group(const Step& step);
  void write_repeated_operands(const Step& step);
  void written(Value& value) const;
  [[nodiscard]] bool sort(const Step& step, std::span<Value> operands, std::span<Value> results);
  void host(const Step& step);
  void pair(const Step& step);
  void unpair(const Step& step);
  void open_call(const Step& step);
  [[nodiscard]] bool tail_call(const Step& step);  // false: it was the outermost, and is done
  [[nodiscard]] bool offer_call(const Step& step, std::int64_t depth, Value* arguments);
  [[nodiscard]] bool return_called();
  void jump(const Step& step);
  [[nodiscard]] bool condition(const Step& step);
  [[nodiscard]] bool close_call(const Step& step);  // false: it was the outermost

  // Indices that all threads leave unwritten, and moves by them (indices.cpp): runs that say where a piece of
  // each segment begins, and the strided ones of a scatter of one value, with the DIST of that.
  [[nodiscard]] bool leave_runs(std::span<Value> operands, std::span<Value> results) const;
  [[nodiscard]] bool move_runs(const Step& step, std::span<Value> operands, std::span<Value> results) const;
  [[nodiscard]] bool leave_strided(const Step& step, std::span<Value> operands, std::span<Value> results);
  [[nodiscard]] bool put_strided(std::span<Value> operands, std::span<Value> results) const;
  // BPERMUTE that leaves a pull, moves of one, and what is done before others read it (pulls.cpp).
  [[nodiscard]] bool pull(const Step& step);
  [[nodiscard]] bool leave_pull(const Step& step);
  [[nodiscard]] bool move_pull(const Step& step, const View& pull);
  [[nodiscard]] bool move_indices(const Step& step, const Vector& indices, Value& result);
  void finish_pull(const Step& step, Value made);
  void write_pulled(const Step& step);
  void write_pull(Value& value, const Site& reader) const;
  void force_operands(const Step& step);
  void forget_pulls();
  // What is permuted or masked without being written (unwritten.cpp).
  [[nodiscard]] bool follows(const Step& step) const;
  [[nodiscard]] bool stays_unwritten(const Step& step, Value& result);
  [[nodiscard]] bool leave_unwritten(const Step& step, Value& result);
  void finish_unwritten(const Step& step, std::int32_t slot);
  // Elementwise instructions on long vectors wait for those that follow (chain.cpp).
  [[nodiscard]] bool goes_alone(const Step& step) const;
  [[nodiscard]] bool begins_chain(const Step& step) const;
  void run_chain();
  [[nodiscard]] bool join_map(const Step& step);
  [[nodiscard]] bool join_dist(const Step& step);
  [[nodiscard]] bool join_reduction(const Step& step);
  [[nodiscard]] bool passes_chain(const Step& step) const;
  void await(const Step& step, std::int32_t made);
  void finish_chain();
  void drop_chain();
  [[nodiscard]] std::int32_t waiting(Operand operand) const;

  // Tail-parallel recursion (level_loop.cpp).
  [[nodiscard]] bool call_by_levels(ssa::FunctionId function, std::vector<Value> arguments,
                                    std::int64_t callers, const Landing* landing, Outcome& outcome);
  void run_levels(ssa::FunctionId function, std::vector<Value> arguments, Landing landing);
  void check_levels(std::int64_t level, std::int32_t slots) const;
  void leave_call(const Step& step);
  void leave_move(const Step& step);
  [[nodiscard]] bool in_level() const { return by_levels_ && calls_.empty(); }

  void force(Value& value) const {
    if (machine_.hook != nullptr) machine_.hook->force(value);
  }

  const Code& code_;
  const Machine machine_;
  Accounts accounts_;
  Registers at_;
  CallStack calls_;
  Frames frames_;
  bool alike_;                                                // any result may be one repeated element
  bool alone_;                                                // results may stay views, too
  bool guards_;                                               // the hook may pass conditionals on trust
  std::vector<std::pair<const ssa::Inst*, Packing>> packed_;  // made by the first of their group
  std::vector<Value> values_;                                 // results of the outermost call
  std::vector<Value> called_;                                 // results of a call that the hook made

  bool unwritten_;  // vectors may stay so as ssa::kCrossing says
  // Indices that were looked at last, and up to where they may go; those that were moved last, how, and what
  // came out. Kept for the next field of the same record.
  struct Checked {
    Value indices;
    std::int64_t length = 0;
  } checked_;
  struct Moved {
    Value indices, by;
    Segdes first, second;
    Op op = Op::kExit;
    Value result;
  } moved_;

  Chain chain_;
  std::int64_t chain_from_;                // elements from which instructions wait
  std::vector<std::int32_t> chain_slots_;  // by instruction of chain_: the slot of its result, or -1
  std::vector<std::int32_t> waiting_;      // by slot: the instruction whose result it is to hold, or -1
  const Step* joined_ = nullptr;           // the last

  bool exited_ = false;
  std::uint32_t exit_line_ = 0;
  bool by_levels_ = false;           // the outermost call goes by levels
  std::vector<Value> waiting_call_;  // arguments of that of the next level
};

}  // namespace nvm::vm
