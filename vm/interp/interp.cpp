#include "vm/interp/interp.h"

#include <algorithm>
#include <new>

#include "vm/interp/elements.h"
#include "vm/interp/in_place.h"
#include "vm/interp/indices.h"
#include "vm/interp/moved.h"
#include "vm/interp/value_moves.h"
#include "vm/prims/alike.h"

namespace nvm::vm {

static constexpr std::atomic<bool> kNever{false}, kAlways{true};

namespace {

// Tells a hook who offers, for as long as it lives.
class Offering {
 public:
  Offering(RegionHook* hook, const Callers* callers) : hook_(hook) {
    if (hook_ != nullptr) before_ = hook_->offered_by(callers);
  }
  ~Offering() {
    if (hook_ != nullptr) hook_->offered_by(before_);
  }
  Offering(const Offering&) = delete;
  Offering& operator=(const Offering&) = delete;

 private:
  RegionHook* hook_;
  const Callers* before_ = nullptr;
};

}  // namespace

Interp::Interp(const Code& code, const Machine& machine, std::span<const Value> inputs)
    : code_(code),
      machine_(machine),
      constants_(code.constants),
      frames_(machine.max_frame_bytes),
      scratch_(code.most_operands + 1),
      work_seen_(machine.observer != nullptr && machine.observer->sees_work()),
      counts_(machine.tally != nullptr || machine.meter != nullptr || work_seen_),
      fuel_(machine.tally != nullptr && machine.tally->fuel != Tally::kNoLimit ? machine.tally : nullptr),
      followed_(machine.path != nullptr || machine.meter != nullptr || work_seen_),
      branches_seen_(machine.observer != nullptr && machine.observer->sees_branches()),
      guards_(machine.hook != nullptr && machine.hook->guards() && machine.observer == nullptr && !followed_),
      instructions_seen_(machine.observer != nullptr ? &machine.observer->instructions_flag() : &kNever),
      calls_seen_(machine.meter != nullptr      ? &kAlways
                  : machine.observer != nullptr ? &machine.observer->calls_flag()
                                                : &kNever),
      unwritten_(!guards_ && (machine.hook == nullptr || machine.prims.orderer == nullptr)),
      chain_from_(std::max<std::int64_t>(machine.prims.grain / 2, 64)) {
  const bool counts_bytes = machine.tally != nullptr && machine.tally->counts_bytes;
  if (machine_.moved == nullptr && counts_bytes) machine_.moved = &machine.tally->bytes;
  if (machine_.moved == nullptr && work_seen_) machine_.moved = &bytes_;
  for (std::size_t c = 0; c < constants_.size(); ++c) {
    const std::int32_t input = code.module->constants[c].input;
    if (input >= 0) constants_[c] = inputs[static_cast<std::size_t>(input)];
  }
}

Outcome Interp::run() { return call(code_.module->entry, {}); }

Outcome Interp::call(ssa::FunctionId function, std::vector<Value> arguments, std::int64_t callers) {
  Outcome outcome;
  if (goes_by_levels(function, arguments) && call_by_levels(function, arguments, callers, nullptr, outcome))
    return outcome;
  const Offering offering(machine_.hook, this);
  callers_ = callers;
  exited_ = false;
  exit_line_ = 0;
  if (leaves_views() && machine_.lines == nullptr) repeat_alike(arguments);
  try {
    enter(function, arguments);
    run_through();
    outcome.exited = exited_;
    outcome.exit_line = exit_line_;
    outcome.values = std::move(values_);
  } catch (const Fault& fault) {
    give_up(outcome, fault);
  } catch (const std::bad_alloc&) {
    give_up(outcome, {Fault::Kind::kMemory, "out of memory"});
  }
  if (machine_.observer != nullptr) machine_.observer->end_calls(last_serial_);
  if (exited_) frames_.clear();
  values_.clear();
  calls_.clear();
  return outcome;
}

// To the end; once more from the check that turns out to have failed.
void Interp::run_through() {
  for (;;) {
    try {
      try {
        loop();
        for (Value& value : values_) {
          written(value);
          if (const auto* v = std::get_if<Vector>(&value)) static_cast<void>(v->raw());  // home from a device
        }
        if (machine_.hook != nullptr) machine_.hook->finish();
      } catch (const Fault& fault) {
        settle(fault);
        throw;
      }
      return;
    } catch (const FailedCheck& check) {
      divert(check.site);
    } catch (const MissedGuard& missed) {
      go_back(missed);
    }
  }
}

// An instruction that was executed has failed: what was recorded before it and fails comes first.
void Interp::settle(const Fault& fault) {
  const bool stopped = fault.kind == Fault::Kind::kTime || fault.kind == Fault::Kind::kInterrupted;
  Site site;
  CallTrail trail;
  if (machine_.hook == nullptr || stopped || machine_.hook->located_at(site, trail) != nullptr) return;
  machine_.hook->finish();
}

void Interp::enter(ssa::FunctionId function, std::vector<Value>& arguments) {
  function_ = &code_.functions[static_cast<std::size_t>(function)];
  step_ = function_->steps.data();
  frame_ = frames_.open(nullptr, std::max(function_->slots, 1));
  std::move(arguments.begin(), arguments.end(), frame_);
  serial_ = ++last_serial_;
  if (machine_.path != nullptr) machine_.path->open();
  if (machine_.observer == nullptr) return;
  machine_.observer->begin_calls(*this);
  if (machine_.observer->sees_calls())
    machine_.observer->enter({function, nullptr, {frame_, arguments.size()}, false, serial_});
}

void Interp::loop() {
  static constexpr std::atomic<Stop> kNever{Stop::kNo};
  const std::atomic<Stop>& stop = machine_.stop != nullptr ? *machine_.stop : kNever;
  for (;;) {
    const Step& step = *step_;
    if (stop.load(std::memory_order_relaxed) != Stop::kNo) [[unlikely]]
      throw stop_fault(stop.load());
    if (step.pulled != 0) [[unlikely]]
      write_pulled(step);
    switch (step.kind) {
      case StepKind::kPrimitive:
        if (step.line >= 0 && machine_.lines != nullptr && waiting_call_.empty() && run_line(step)) continue;
        if (step.chains && machine_.hook == nullptr && !goes_alone(step) && begins_chain(step)) {
          run_chain();
          continue;
        }
        primitive(step);
        break;
      case StepKind::kHost: host(step); break;
      case StepKind::kPair: pair(step); break;
      case StepKind::kUnpair: unpair(step); break;
      case StepKind::kCall:
        if (step.pending && in_level()) {
          leave_call(step);
          break;
        }
        burn_step();
        open_call(step);
        continue;
      case StepKind::kTailCall:
        burn_step();
        if (!tail_call(step)) return;
        continue;
      case StepKind::kDrop: shuffle(step); break;
      case StepKind::kJump:
        burn_step();
        jump(step);
        step_ = function_->steps.data() + step.target;
        continue;
      case StepKind::kBranch:
        if (condition(step)) break;
        step_ = function_->steps.data() + step.target;
        continue;
      case StepKind::kReturn:
        if (!close_call(step)) return;
        break;
      case StepKind::kStop:
        if (machine_.hook != nullptr) machine_.hook->finish();
        exited_ = true;
        exit_line_ = source_line();
        return;
    }
    ++step_;
  }
}

// Results to their slots; those that nobody uses are dropped.
void Interp::store(const Step& step, Value* from) {
  const std::int32_t* slots = function_->result_slots.data() + step.first_result;
  for (std::uint32_t i = 0; i < step.results; ++i) {
    if (slots[i] >= 0)
      move_value(from[i], frame_[slots[i]]);
    else
      release(from[i]);
  }
}

void Interp::perform(const Step& step) {
  Value* operands = scratch_.data();
  fetch(step, operands);
  if (step.pending && in_level()) return leave_move(step);
  if (machine_.hook == nullptr) {
    note_line(step);
    if (counts_) count(step, {operands, step.operands});
  }
  const std::int32_t slot = function_->result_slots[step.first_result];
  if (step.permuted && unwritten_ && stays_unwritten(step, slot >= 0 ? frame_[slot] : outputs_[0]))
    return finish_unwritten(step, slot);
  if (leaves_views() && step.results == 1 && alike(step, slot)) return;
  if (leaves_views() && step.results != 1) {
    write_repeated_operands(step);
    if (step.group != Step::kNoGroup && pack_group(step)) return;
  }
  if (step.results == 1 && slot >= 0) [[likely]] {
    execute(step, {operands, step.operands}, {frame_ + slot, 1});
  } else {
    execute(step, {operands, step.operands}, {outputs_, step.results});
    store(step, outputs_);
  }
  for (std::uint32_t i = 0; i < step.operands; ++i) release(operands[i]);
}

[[gnu::always_inline]] inline void Interp::execute(const Step& step, std::span<Value> operands,
                                                   std::span<Value> results) {
  if (step.sorts != nullptr && sort(step, operands, results)) return;
  if (step.leaves.has(Form::kStrided) && leave_strided(step, operands, results)) return;
  if (machine_.hook != nullptr && !step.drawn &&
      machine_.hook->offer(*step.inst, step.site, operands, results))
    return;
  if (step.drawn && machine_.hook != nullptr)
    for (Value& operand : operands) machine_.hook->force(operand);
  if (counts_ && machine_.hook != nullptr) count(step, operands);
  if (machine_.hook != nullptr) note_line(step);
  if (machine_.moved != nullptr && machine_.hook != nullptr) [[unlikely]]
    return execute_counted(step, operands, results);
  execute_here(step, operands, results);
}

[[gnu::always_inline]] inline void Interp::execute_here(const Step& step, std::span<Value> operands,
                                                        std::span<Value> results) {
  if (step.indices.has(Form::kStrided) && put_strided(machine_.prims, operands, results[0])) return;
  compute(step, operands, results);
}

[[gnu::always_inline]] inline void Interp::compute(const Step& step, std::span<Value> operands,
                                                   std::span<Value> results) {
  if (leaves_views() && step.alone != nullptr)
    step.alone({machine_.prims, step.op, step.word, operands.data(), results.data()});
  else if (step.drawn || (step.repeats && (machine_.hook == nullptr || machine_.hook->declined())))
    run_repeating_dist(machine_.prims, step.word, operands, results, step.alike);
  else
    run_primitive(machine_.prims, step.op, step.word, operands, results);
}

// Where a hook has made what was promised among the operands.
[[gnu::noinline]] void Interp::execute_counted(const Step& step, std::span<Value> operands,
                                               std::span<Value> results) {
  Moving moving(step.op);
  for (const Value& operand : operands) moving.reads(operand);
  const InPlace in_place(step.op, operands);
  execute_here(step, operands, results);
  for (const Value& result : results) moving.writes(result);
  count_moved(moving.bytes() - in_place.unmoved(results));
}

void Interp::host(const Step& step) {
  Value* operands = scratch_.data();
  fetch(step, operands);
  if (machine_.host == nullptr) throw Fault{Fault::Kind::kDenied, "a group may have no effect"};
  if (machine_.hook != nullptr) machine_.hook->finish();  // what was promised before it counts as made
  for (std::uint32_t i = 0; i < step.operands; ++i) written(operands[i]);
  Value results[5];  // SPAWN has the most
  if (counts_) count(step, {operands, step.operands});
  note_line(step);
  const std::int64_t read = machine_.moved != nullptr ? bytes_read(step.op, {operands, step.operands}) : 0;
  machine_.host->run(step.op, step.word, step.pos, {operands, step.operands}, {results, step.results});
  if (machine_.moved != nullptr) count_moved(read + vector_bytes({results, step.results}));
  if (counts_ && step.counted == Counted::kResults) {
    const std::int64_t work = work_after(Work::kR, {results, step.results});
    if (machine_.tally != nullptr) machine_.tally->add(work, 0);
    if (work_seen_ && instructions_seen()) machine_.observer->worked(work);
  }
  burn();
  store(step, results);
}

void Interp::pair(const Step& step) {
  Value parts[2];
  fetch(step, parts);
  for (Value& part : parts) written(part);
  outputs_[0] = make_pair_value(std::move(parts[0]), std::move(parts[1]));
  store(step, outputs_);
}

void Interp::unpair(const Step& step) {
  Value pair;
  fetch(step, &pair);
  const auto& both = std::get<std::shared_ptr<const PairValue>>(pair);
  outputs_[0] = both->left;
  outputs_[1] = both->right;
  store(step, outputs_);
}

void Interp::check_depth() const {
  if (machine_.max_depth > 0 && depth() >= machine_.max_depth) throw depth_fault(machine_.max_depth);
}

void Interp::open_call(const Step& step) {
  check_depth();
  forget_pulls();
  const CodeFunction& callee = code_.functions[static_cast<std::size_t>(step.target)];
  Value* window = frames_.open(frame_ + step.window, std::max(callee.slots, 1));
  fetch(step, window);
  pass_mark(step);
  if (machine_.calls != nullptr && offer_call(step, depth() + 1, window)) {
    frames_.back_to(frame_);
    store(step, called_.data());
    ++step_;
    return;
  }
  calls_.push_back({function_, step_, frame_, serial_});
  serial_ = ++last_serial_;
  function_ = &callee;
  step_ = callee.steps.data();
  frame_ = window;
  if (machine_.path != nullptr) machine_.path->open();
  if (calls_seen()) say_entered({step.target, step.inst, {window, step.operands}, false, serial_});
}

bool Interp::tail_call(const Step& step) {
  forget_pulls();
  const CodeFunction& callee = code_.functions[static_cast<std::size_t>(step.target)];
  fetch(step, scratch_.data());
  for (std::int32_t i = 0; i < function_->slots; ++i) release(frame_[i]);
  pass_mark(step);
  if (machine_.calls != nullptr && offer_call(step, depth(), scratch_.data())) return return_called();
  if (machine_.path != nullptr) machine_.path->tail();
  if (calls_seen()) say_left(step.site.function);
  frame_ = frames_.open(frame_, std::max(callee.slots, 1));
  for (std::uint32_t i = 0; i < step.operands; ++i)
    move_value(scratch_[static_cast<std::size_t>(i)], frame_[i]);
  function_ = &callee;
  step_ = callee.steps.data();
  serial_ = ++last_serial_;
  if (calls_seen()) say_entered({step.target, step.inst, {frame_, step.operands}, true, serial_});
  return true;
}

// Leaves the call to the hook if the hook wants it; then the results are in called_.
bool Interp::offer_call(const Step& step, std::int64_t depth, Value* arguments) {
  if (!code_.functions[static_cast<std::size_t>(step.target)].source->lifted.lifted) return false;
  if (guards_ && machine_.hook->guarded()) machine_.hook->finish();
  if (machine_.meter != nullptr) machine_.meter->pause();  // who executes it measures that
  for (std::uint32_t i = 0; leaves_views() && i < step.operands; ++i)
    if (const auto* v = std::get_if<Vector>(&arguments[i]); v != nullptr && v->is_repeated())
      write_repeated(arguments[i]);
  if (!machine_.calls->call(step.target, depth, {arguments, step.operands}, called_)) return false;
  for (std::uint32_t i = 0; i < step.operands; ++i) release(arguments[i]);
  return true;
}

// Returns called_ from a function whose slots are empty; false if it was the outermost.
bool Interp::return_called() {
  if (calls_seen()) say_left(step_->site.function);
  if (machine_.path != nullptr) machine_.path->close();
  if (calls_.empty()) {
    values_ = std::move(called_);
    return false;
  }
  const Activation caller = calls_.back();
  calls_.pop_back();
  function_ = caller.function;
  step_ = caller.step;
  frame_ = caller.frame;
  serial_ = caller.serial;
  frames_.back_to(frame_);
  store(*step_, called_.data());
  ++step_;
  return true;
}

void Interp::jump(const Step& step) {
  if (step.operands == 0) return;
  if (step.overlaps) {
    fetch(step, scratch_.data());
    return store(step, scratch_.data());
  }
  const Operand* operands = function_->operands.data() + step.first_operand;
  const std::int32_t* slots = function_->result_slots.data() + step.first_result;
  Value unused;
  for (std::uint32_t i = 0; i < step.operands; ++i)
    fetch_one(operands[i], slots[i] >= 0 ? frame_[slots[i]] : unused);
}

bool Interp::condition(const Step& step) {
  Value& flag = scratch_[0];
  fetch(step, &flag);
  if (step.checks && machine_.hook != nullptr && machine_.hook->trust(flag, step.site)) {
    release(flag);
    return false;
  }
  if (guards_) [[unlikely]]
    if (const std::optional<bool> way = pass_guarded(step, flag)) return *way;
  force(flag);
  const auto* v = std::get_if<Vector>(&flag);
  if (v == nullptr || !v->is_scalar())
    throw Fault{Fault::Kind::kLength, "IF: the condition has length " +
                                          std::to_string(v == nullptr ? 0 : v->length()) + ", expected 1"};
  if (branches_seen_ && !step.checks) machine_.observer->branch(v->scalar_bool());
  if (guards_) machine_.hook->decided(step.site, v->scalar_bool());
  return v->scalar_bool();
}

bool Interp::close_call(const Step& step) {
  forget_pulls();
  if (calls_seen()) say_left(step.site.function);
  if (machine_.path != nullptr) machine_.path->close();
  const Operand* operands = function_->operands.data() + step.first_operand;
  if (calls_.empty()) {
    values_.resize(step.operands);
    fetch(step, values_.data());
    for (std::int32_t i = 0; i < function_->slots; ++i) release(frame_[i]);
    return false;
  }
  const Activation caller = calls_.back();
  calls_.pop_back();
  const std::int32_t* slots = caller.function->result_slots.data() + caller.step->first_result;
  for (std::uint32_t i = 0; i < step.operands; ++i)
    if (slots[i] >= 0) fetch_one(operands[i], caller.frame[slots[i]]);
  for (std::int32_t i = 0; i < function_->slots; ++i) release(frame_[i]);
  function_ = caller.function;
  step_ = caller.step;
  frame_ = caller.frame;
  serial_ = caller.serial;
  frames_.back_to(frame_);
  return true;
}

void Interp::say_entered(const CallStart& call) const {
  if (machine_.meter != nullptr) machine_.meter->enter(call);
  if (machine_.observer != nullptr && machine_.observer->sees_calls()) machine_.observer->enter(call);
}

void Interp::say_left(ssa::FunctionId function) const {
  if (machine_.meter != nullptr) machine_.meter->leave();
  if (machine_.observer != nullptr && machine_.observer->sees_calls()) machine_.observer->leave(function);
}

}  // namespace nvm::vm
