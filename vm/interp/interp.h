// The interpreter: executes SSA, instruction by instruction, on an explicit stack of frames. The reference
// for all other tiers. One object runs one thing at a time; several may share a Code and work at once.
#pragma once

#include <span>
#include <vector>

#include "vm/interp/code.h"
#include "vm/interp/frames.h"
#include "vm/interp/machine.h"
#include "vm/interp/path.h"
#include "vm/interp/value_moves.h"
#include "vm/prims/chain.h"
#include "vm/prims/views.h"

namespace nvm::vm {

class Interp final : private OpenCalls, private Callers {
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
  struct Place;
  struct Activation {  // a call that is open: what to go on with after it
    const CodeFunction* function;
    const Step* step;
    Value* frame;
    std::uint64_t serial;
  };

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
    if ((step.leaves_pull || step.takes_pull) && !(step.pending && in_level()) && pull(step)) return;
    if (machine_.moved != nullptr && machine_.hook == nullptr) [[unlikely]]
      return perform_counted(step);
    perform(step);
  }
  void perform(const Step& step);
  void perform_counted(const Step& step);
  [[nodiscard]] bool count_plain(const Step& step);
  void count_moved(std::int64_t bytes) const;
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

  // The strided indices of a scatter of one value, and the DIST of that (indices.h).
  [[nodiscard]] bool leave_strided(const Step& step, std::span<Value> operands, std::span<Value> results);
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
                                    std::int64_t callers, const Destination* destination, Outcome& outcome);
  void run_levels(ssa::FunctionId function, std::vector<Value> arguments, Destination destination);
  void check_levels(std::int64_t level, std::int32_t slots) const;
  void leave_call(const Step& step);
  void leave_move(const Step& step);
  [[nodiscard]] bool in_level() const { return by_levels_ && calls_.empty(); }

  [[nodiscard]] const Value& peek(Operand operand) const {
    return operand.is_constant() ? constants_[static_cast<std::size_t>(operand.constant())]
                                 : frame_[operand.slot()];
  }
  void fetch(const Step& step, Value* to);
  void fetch_one(Operand operand, Value& to);
  void store(const Step& step, Value* from);
  void force(Value& value) const {
    if (machine_.hook != nullptr) machine_.hook->force(value);
  }
  // Does nobody record what is executed? Then any result may be one repeated element or a view.
  [[nodiscard]] bool leaves_views() const { return machine_.hook == nullptr; }
  [[nodiscard]] std::int64_t depth() const { return callers_ + static_cast<std::int64_t>(calls_.size()); }
  void check_depth() const;
  [[nodiscard]] RunError locate(const Fault& fault) const;
  [[nodiscard]] std::uint32_t source_line() const;
  void say_entered(const CallStart& call) const;
  void say_left(ssa::FunctionId function) const;
  [[nodiscard]] std::vector<CallPlace> places(const ssa::Inst* inst, const Site& site, SourcePos pos) const;
  [[nodiscard]] std::uint64_t serial() const override { return serial_; }
  [[nodiscard]] CallTrail trail() const override;
  std::size_t list(std::size_t most, std::vector<OpenCall>& calls) const override;
  // An observer may look away for a while.
  [[nodiscard]] bool instructions_seen() const { return instructions_seen_->load(std::memory_order_relaxed); }
  void count(const Step& step, std::span<const Value> operands) {
    // Most instructions count what a vector has.
    const auto* v = step.counted == Counted::kFirst ? std::get_if<Vector>(operands.data()) : nullptr;
    if (v != nullptr && !followed_) [[likely]] {
      machine_.tally->add(v->length());
      return burn();
    }
    count(step, v != nullptr ? v->length() : work_of(step, operands));
  }
  // Also of what is unpaid, if somebody looks.
  [[nodiscard]] std::int64_t work_of(const Step& step, std::span<const Value> operands) const {
    const bool unpaid = work_seen_ && step.counted == Counted::kNothing;
    return vm::work_of(unpaid ? counted_by(step.op) : step.counted, operands);
  }
  void count(const Step& step, std::int64_t work) {
    const bool paid = step.counted != Counted::kNothing;
    if (machine_.tally != nullptr) paid ? machine_.tally->add(work) : void(++machine_.tally->uncharged);
    burn();
    pass_mark(step);
    if (machine_.meter != nullptr) [[unlikely]]
      machine_.meter->at(*step.inst, step.site.function, paid ? work : 0, paid);
    if (work_seen_ && instructions_seen()) [[unlikely]]
      machine_.observer->begin(*step.inst, step.site, work);
  }
  void burn() const {
    if (fuel_ != nullptr) [[unlikely]]
      fuel_->burn();
  }
  // For what counts nothing, lest it go on for ever.
  void burn_step() const {
    if (fuel_ != nullptr) [[unlikely]]
      fuel_->burn_step();
  }
  void pass_mark(const Step& step) {
    if (machine_.path != nullptr && step.mark != 0) machine_.path->at(step.mark);
  }
  // For one who sees no work, but wants to know where control is.
  void note_line(const Step& step) const {
    if (instructions_seen() && !work_seen_) [[unlikely]]
      machine_.observer->begin(*step.inst, step.site, 0);
  }
  // For one who asks why it is not recorded.
  void note_unwritten(const Step& step) const {
    if (work_seen_ && machine_.hook != nullptr) [[unlikely]]
      machine_.observer->left(*step.inst, kUnwritten);
  }
  [[nodiscard]] bool calls_seen() const { return calls_seen_->load(std::memory_order_relaxed); }

  const Code& code_;
  Machine machine_;
  std::vector<Value> constants_;  // of the code, inputs filled in
  Frames frames_;
  std::vector<Activation> calls_;
  std::vector<Value> scratch_;  // operands on their way
  std::int64_t bytes_ = 0;      // moved, where nobody else adds them up
  bool work_seen_;              // the observer looks at the work of instructions, while it looks
  bool counts_;                 // their work is
  Tally* fuel_;                 // the tally, if it has a limit
  bool followed_;               // by somebody who is told what has that work
  bool branches_seen_;
  bool guards_;                                 // the hook may pass conditionals on trust
  const std::atomic<bool>* instructions_seen_;  // of the observer
  const std::atomic<bool>* calls_seen_;
  Value outputs_[4];                                          // results on their way
  std::vector<std::pair<const ssa::Inst*, Packing>> packed_;  // made by the first of their group
  std::vector<Value> values_;                                 // results of the outermost call
  std::vector<Value> called_;                                 // results of a call that the hook made
  std::int64_t callers_ = 0;

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

  const CodeFunction* function_ = nullptr;
  const Step* step_ = nullptr;
  Value* frame_ = nullptr;
  std::uint64_t serial_ = 0;       // of the innermost call
  std::uint64_t last_serial_ = 0;  // given to a call
  bool exited_ = false;
  std::uint32_t exit_line_ = 0;
  bool by_levels_ = false;           // the outermost call goes by levels
  std::vector<Value> waiting_call_;  // arguments of that of the next level
};

inline void Interp::fetch_one(Operand operand, Value& to) {
  if (operand.is_constant())
    copy_value(constants_[static_cast<std::size_t>(operand.constant())], to);
  else if (operand.dies())
    move_value(frame_[operand.slot()], to);
  else
    copy_value(frame_[operand.slot()], to);
}

inline void Interp::fetch(const Step& step, Value* to) {
  const Operand* operands = function_->operands.data() + step.first_operand;
  for (std::uint32_t i = 0; i < step.operands; ++i) fetch_one(operands[i], to[i]);
}

}  // namespace nvm::vm
