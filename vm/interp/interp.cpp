#include "vm/interp/interp.h"

#include <algorithm>
#include <new>

#include "vm/interp/value_moves.h"

namespace nvm::vm {

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
      accounts_(machine_),
      calls_(code, machine_, at_),
      frames_(machine.max_frame_bytes),
      guards_(machine.hook != nullptr && machine.hook->guards() && machine.observer == nullptr &&
              !accounts_.itemised()),
      views_(machine),
      shared_(machine_, at_, accounts_, views_),
      strided_(shared_),
      pulls_(shared_),
      combined_(shared_),
      pending_(shared_, calls_, combined_),
      line_(shared_),
      exec_(shared_, {strided_, pulls_, combined_, pending_}),
      recording_(machine_, views_, combined_) {
  at_.constants = code.constants;
  at_.scratch.resize(code.most_operands + 1);
  for (std::size_t c = 0; c < at_.constants.size(); ++c) {
    const std::int32_t input = code.module->constants[c].input;
    if (input >= 0) at_.constants[c] = inputs[static_cast<std::size_t>(input)];
  }
}

Outcome Interp::run() { return call(code_.module->entry, {}); }

Outcome Interp::call(ssa::FunctionId function, std::vector<Value> arguments, std::int64_t callers) {
  Outcome outcome;
  if (goes_by_levels(function, arguments) && call_by_levels(function, arguments, callers, nullptr, outcome))
    return outcome;
  const Offering offering(machine_.hook, &calls_);
  calls_.begin(callers);
  exited_ = false;
  exit_line_ = 0;
  if (views_.leaves) combined_.repeat_equal(arguments);
  // Where going on fails.
  at_.function = &code_.functions[static_cast<std::size_t>(function)];
  at_.step = at_.function->steps.data();
  try {
    if (machine_.checkpoints == nullptr || !go_on()) enter(function, arguments);
    run_through();
    outcome.exited = exited_;
    outcome.exit_line = exit_line_;
    outcome.values = std::move(values_);
  } catch (const Fault& fault) {
    give_up(outcome, fault);
  } catch (const std::bad_alloc& spent) {
    give_up(outcome, memory_fault(spent));
  }
  recording_.reset(calls_.outside());
  if (machine_.observer != nullptr) machine_.observer->end_calls(calls_.last_serial());
  if (exited_) frames_.clear();
  values_.clear();
  calls_.clear();
  return outcome;
}

void Interp::give_up(Outcome& outcome, const Fault& fault) {
  forget();
  outcome.error = calls_.locate(fault);
}

void Interp::forget() {
  frames_.clear();
  combined_.forget();
  for (Value& value : at_.scratch) release(value);
  for (Value& value : at_.outputs) release(value);
  line_.drop();
  pulls_.forget();
}

// To the end; once more from the check that turns out to have failed.
void Interp::run_through() {
  for (;;) {
    try {
      try {
        loop();
        for (Value& value : values_) {
          combined_.written(value);
          if (const auto* v = std::get_if<Vector>(&value)) static_cast<void>(v->raw());  // home from a device
        }
        if (machine_.hook != nullptr) machine_.hook->finish();
        check_stop(machine_.prims.stop);  // asked while the last instruction was under way
      } catch (const Fault& fault) {
        settle(fault);
        throw;
      }
      return;
    } catch (const FailedCheck& check) {
      divert(check);
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
  at_.function = &code_.functions[static_cast<std::size_t>(function)];
  at_.step = at_.function->steps.data();
  at_.frame = frames_.open(nullptr, std::max(at_.function->slots, 1));
  std::move(arguments.begin(), arguments.end(), at_.frame);
  calls_.number();
  if (machine_.path != nullptr) machine_.path->open();
  if (machine_.observer == nullptr) return;
  machine_.observer->begin_calls(calls_);
  if (machine_.observer->sees_calls())
    machine_.observer->enter({function, nullptr, {at_.frame, arguments.size()}, false, calls_.serial()});
}

void Interp::loop() {
  static constexpr std::atomic<Stop> kNever{Stop::kNo};
  const std::atomic<Stop>* const stop = machine_.prims.stop != nullptr ? machine_.prims.stop : &kNever;
  for (;;) {
    const Step& step = *at_.step;
    check_stop(stop);
    if (step.pulled != 0) [[unlikely]]
      pulls_.write(step);
    switch (step.kind) {
      case StepKind::kPrimitive:
        if (step.chains && machine_.hook == nullptr && line_.begins(step)) {
          run_chain();
          continue;
        }
        exec_.primitive(step);
        break;
      case StepKind::kHost: exec_.host(step); break;
      case StepKind::kPair: exec_.pair(step); break;
      case StepKind::kUnpair: exec_.unpair(step); break;
      case StepKind::kCall:
        if (machine_.checkpoints != nullptr) keep();
        if (step.pending && pending_.open_here()) {
          pending_.leave_call(step);
          break;
        }
        accounts_.burn_step();
        open_call(step);
        continue;
      case StepKind::kTailCall:
        if (machine_.checkpoints != nullptr) keep();
        accounts_.burn_step();
        if (!tail_call(step)) return;
        continue;
      case StepKind::kDrop: at_.drop(step); break;
      case StepKind::kJump:
        if (machine_.checkpoints != nullptr) keep();
        accounts_.burn_step();
        at_.jump(step);
        at_.step = at_.function->steps.data() + step.target;
        continue;
      case StepKind::kBranch:
        if (machine_.checkpoints != nullptr) keep();
        if (condition(step)) break;
        at_.step = at_.function->steps.data() + step.target;
        continue;
      case StepKind::kReturn:
        if (machine_.checkpoints != nullptr) keep();
        if (!close_call(step)) return;
        break;
      case StepKind::kStop:
        if (machine_.hook != nullptr) machine_.hook->finish();
        exited_ = true;
        exit_line_ = calls_.source_line();
        return;
    }
    ++at_.step;
  }
}

void Interp::open_call(const Step& step) {
  calls_.check_depth();
  pulls_.forget();
  const CodeFunction& callee = code_.functions[static_cast<std::size_t>(step.target)];
  Value* window = frames_.open(at_.frame + step.window, std::max(callee.slots, 1));
  at_.fetch(step, window);
  accounts_.pass_mark(step);
  if (machine_.calls != nullptr && offer_call(step, calls_.depth() + 1, window)) {
    frames_.back_to(at_.frame);
    at_.store(step, called_.data());
    ++at_.step;
    return;
  }
  recording_.enter(step.target, {window, step.operands}, calls_.depth() + 1);
  calls_.push();
  calls_.number();
  at_.function = &callee;
  at_.step = callee.steps.data();
  at_.frame = window;
  if (machine_.path != nullptr) machine_.path->open();
  if (accounts_.calls_seen())
    accounts_.note_entered({step.target, step.inst, {window, step.operands}, false, calls_.serial()});
}

bool Interp::tail_call(const Step& step) {
  pulls_.forget();
  const CodeFunction& callee = code_.functions[static_cast<std::size_t>(step.target)];
  at_.fetch(step, at_.scratch.data());
  for (std::int32_t i = 0; i < at_.function->slots; ++i) release(at_.frame[i]);
  if (recording_.ends_at(calls_.depth())) {
    for (std::uint32_t i = 0; i < step.operands; ++i) recording_.hand_on(at_.scratch[i]);
    recording_.leave();
  }
  accounts_.pass_mark(step);
  if (machine_.calls != nullptr && offer_call(step, calls_.depth(), at_.scratch.data()))
    return return_called();
  recording_.enter(step.target, {at_.scratch.data(), step.operands}, calls_.depth());
  if (machine_.path != nullptr) machine_.path->tail();
  if (accounts_.calls_seen()) accounts_.note_left(step.site.function);
  at_.frame = frames_.open(at_.frame, std::max(callee.slots, 1));
  for (std::uint32_t i = 0; i < step.operands; ++i)
    move_value(at_.scratch[static_cast<std::size_t>(i)], at_.frame[i]);
  at_.function = &callee;
  at_.step = callee.steps.data();
  calls_.number();
  if (accounts_.calls_seen())
    accounts_.note_entered({step.target, step.inst, {at_.frame, step.operands}, true, calls_.serial()});
  return true;
}

// Leaves the call to the hook if the hook wants it; then the results are in called_.
bool Interp::offer_call(const Step& step, std::int64_t depth, Value* arguments) {
  if (!code_.functions[static_cast<std::size_t>(step.target)].source->lifted.lifted) return false;
  if (guards_ && machine_.hook->guarded()) machine_.hook->finish();
  if (machine_.meter != nullptr) machine_.meter->pause();  // who executes it measures that
  for (std::uint32_t i = 0; views_.repeats && i < step.operands; ++i)
    if (const auto* v = std::get_if<Vector>(&arguments[i]); v != nullptr && v->is_repeated())
      combined_.write_repeated(arguments[i]);
  if (!machine_.calls->call(step.target, depth, {arguments, step.operands}, called_)) return false;
  for (std::uint32_t i = 0; i < step.operands; ++i) release(arguments[i]);
  return true;
}

// Returns called_ from a function whose slots are empty; false if it was the outermost.
bool Interp::return_called() {
  if (accounts_.calls_seen()) accounts_.note_left(at_.step->site.function);
  if (machine_.path != nullptr) machine_.path->close();
  if (calls_.empty()) {
    values_ = std::move(called_);
    return false;
  }
  const Activation caller = calls_.pop();
  at_.function = caller.function;
  at_.step = caller.step;
  at_.frame = caller.frame;
  frames_.back_to(at_.frame);
  at_.store(*at_.step, called_.data());
  ++at_.step;
  return true;
}

// Steps from this one on, as far as they make a line.
void Interp::run_chain() {
  const Step* const first = at_.step;
  line_.start(*first);
  for (; !line_.full() && at_.step->kind == StepKind::kPrimitive; ++at_.step) {
    if (at_.step->pulled != 0) pulls_.write(*at_.step);
    if (line_.join(*at_.step)) continue;
    if (!line_.passes(*at_.step)) break;
    exec_.primitive(*at_.step);
  }
  if (!line_.empty()) return line_.finish();
  if (at_.step != first) return;  // those before this one went alone
  exec_.primitive(*at_.step);
  ++at_.step;
}

bool Interp::condition(const Step& step) {
  Value& flag = at_.scratch[0];
  at_.fetch(step, &flag);
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
  if (!step.checks) accounts_.note_branch(v->scalar_bool());
  if (guards_) machine_.hook->decided(step.site, v->scalar_bool());
  return v->scalar_bool();
}

bool Interp::close_call(const Step& step) {
  pulls_.forget();
  if (accounts_.calls_seen()) accounts_.note_left(step.site.function);
  if (machine_.path != nullptr) machine_.path->close();
  const Operand* operands = at_.operands_of(step);
  const bool ends = recording_.ends_at(calls_.depth());
  if (calls_.empty()) {
    values_.resize(step.operands);
    at_.fetch(step, values_.data());
    for (std::int32_t i = 0; i < at_.function->slots; ++i) release(at_.frame[i]);
    if (ends)
      for (Value& value : values_) recording_.hand_on(value);
    if (ends) recording_.leave();
    return false;
  }
  const Activation caller = calls_.pop();
  const std::int32_t* slots = caller.function->result_slots.data() + caller.step->first_result;
  for (std::uint32_t i = 0; i < step.operands; ++i) {
    if (slots[i] < 0) continue;
    at_.fetch_one(operands[i], caller.frame[slots[i]]);
    if (ends) recording_.hand_on(caller.frame[slots[i]]);
  }
  if (ends) recording_.leave();
  for (std::int32_t i = 0; i < at_.function->slots; ++i) release(at_.frame[i]);
  at_.function = caller.function;
  at_.step = caller.step;
  at_.frame = caller.frame;
  frames_.back_to(at_.frame);
  return true;
}

}  // namespace nvm::vm
