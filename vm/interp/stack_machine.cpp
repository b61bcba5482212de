#include "vm/interp/stack_machine.h"

#include <algorithm>
#include <new>

#include "vm/interp/check_args.h"
#include "vm/interp/elements.h"
#include "vm/interp/frames.h"

namespace nvm::vm {

namespace {

// Nothing for lengths that are none: what executes such a constant fails, not the program.
Value good_segdes(const Constant& c, Pool& pool, IntBits bits) {
  try {
    return make_constant(c.word, c.ints, c.floats, pool, bits);
  } catch (const Fault& fault) {
    if (fault.kind != Fault::Kind::kSegdes) throw;
    return {};
  }
}

}  // namespace

StackMachine::StackMachine(const Program& program, const Machine& machine, std::span<const Value> inputs,
                           StackObserver* observer)
    : program_(program), machine_(machine), observer_(observer), function_(program.entry) {
  for (const Constant& c : program.constants) {
    Pool& pool = *machine.prims.pool;
    const IntBits bits = machine.prims.int_bits;
    if (c.input >= 0)
      constants_.push_back(inputs[static_cast<std::size_t>(c.input)]);
    else if (c.word == TypeWord::kSegdes)
      constants_.push_back(good_segdes(c, pool, bits));
    else
      constants_.push_back(make_constant(c.word, c.ints, c.floats, pool, bits));
  }
}

Outcome StackMachine::run() {
  Outcome outcome;
  try {
    loop();
    outcome.exited = exited_;
    if (!exited_) outcome.values = std::move(stack_);
  } catch (const Fault& fault) {
    outcome.error = locate(fault);
  } catch (const std::bad_alloc& spent) {
    outcome.error = locate(memory_fault(spent));
  }
  stack_.clear();
  calls_.clear();
  return outcome;
}

void StackMachine::loop() {
  for (;;) {
    check_stop(machine_.prims.stop);
    const Instr& in = program_.functions[static_cast<std::size_t>(function_)].code[next_];
    if (const OpKind kind = op_info(in.op).kind; kind == OpKind::kBlock || kind == OpKind::kControl)
      burn_step();
    if (observer_ != nullptr) observer_->before(function_, next_, stack_);
    if (!step(in)) return;
    ++next_;
  }
}

bool StackMachine::step(const Instr& in) {
  switch (in.op) {
    case Op::kCopy:
    case Op::kPop:
    case Op::kCpop: shuffle(in); break;
    case Op::kConst: push_constant(static_cast<std::size_t>(in.a)); break;
    case Op::kPair:
      need(in, 2);
      pair();
      break;
    case Op::kUnpair:
      need(in, 1);
      unpair();
      break;
    case Op::kIf:
      need(in, 1);
      branch(in);
      break;
    case Op::kElse: next_ = static_cast<std::size_t>(in.a); break;
    case Op::kEndif: break;
    case Op::kCall: call(in); break;
    case Op::kExit: exited_ = true; return false;
    case Op::kRet:
      if (calls_.empty()) return false;
      function_ = calls_.back().function;
      next_ = calls_.back().next;
      calls_.pop_back();
      if (observer_ != nullptr) observer_->moved("return to", function_, calls_.size());
      break;
    default: execute(in); break;
  }
  return true;
}

void StackMachine::burn_step() const {
  if (machine_.tally != nullptr) machine_.tally->burn_step();
}

void StackMachine::count(std::int64_t work, std::uint64_t instructions) const {
  if (machine_.tally == nullptr) return;
  machine_.tally->add(work, instructions);
  machine_.tally->burn();
}

void StackMachine::need(const Instr& in, std::size_t entries) const {
  if (stack_.size() >= entries) return;
  throw Fault{Fault::Kind::kType, "Only " + std::to_string(stack_.size()) + " values on stack; " +
                                      op_name(in.op) + " reqires " + std::to_string(entries) + "."};
}

void StackMachine::push_constant(std::size_t i) {
  const Constant& c = program_.constants[i];
  if (std::holds_alternative<std::monostate>(constants_[i]))  // says what is wrong with it
    constants_[i] = make_constant(c.word, c.ints, c.floats, *machine_.prims.pool, machine_.prims.int_bits);
  stack_.push_back(constants_[i]);
}

// A few COPYs that double the stack would fill any memory.
void StackMachine::check_room(std::size_t more) const {
  const std::size_t bytes = (stack_.size() + more) * sizeof(Value) + calls_.size() * sizeof(Activation);
  if (bytes > machine_.max_frame_bytes)
    throw Fault{Fault::Kind::kMemory, "the stack takes more memory than allowed: it has " +
                                          std::to_string(stack_.size()) + " entries"};
}

void StackMachine::shuffle(const Instr& in) {
  const std::string text = op_name(in.op) + " " + std::to_string(in.a) + " " + std::to_string(in.b);
  if (in.a < 0 || in.b < 0) throw Fault{Fault::Kind::kType, "negative argument: " + text};
  const auto size = static_cast<std::int64_t>(stack_.size());
  if (in.a > 0 && std::int64_t{in.a} + in.b > size)
    throw Fault{Fault::Kind::kType,
                "can't do a " + text + "; only " + std::to_string(size) + " items on the stack."};
  if (in.a == 0) return;
  const auto first = stack_.end() - in.b - in.a, last = stack_.end() - in.b;
  if (in.op == Op::kPop) {
    stack_.erase(first, last);
  } else if (in.op == Op::kCpop) {
    std::rotate(first, last, stack_.end());
  } else {
    check_room(static_cast<std::size_t>(in.a));
    const std::size_t from = stack_.size() - static_cast<std::size_t>(in.b) - static_cast<std::size_t>(in.a);
    for (std::size_t i = 0; i < static_cast<std::size_t>(in.a); ++i)
      stack_.push_back(Value(stack_[from + i]));
  }
}

void StackMachine::branch(const Instr& in) {
  const auto* v = std::get_if<Vector>(&stack_.back());
  if (v == nullptr || v->type() != Type::kBool || v->length() != 1)
    throw Fault{Fault::Kind::kType, "IF: top of stack not bool scalar."};
  const bool yes = v->scalar_bool();
  stack_.pop_back();
  if (!yes) next_ = static_cast<std::size_t>(in.a);
}

void StackMachine::call(const Instr& in) {
  const auto depth = static_cast<std::int64_t>(calls_.size());
  if (machine_.max_depth > 0 && depth >= machine_.max_depth) throw depth_fault(machine_.max_depth);
  if (calls_.size() * sizeof(Activation) > machine_.max_frame_bytes) throw frame_fault();
  check_room(0);
  allocate_for_calls(calls_.size() * sizeof(Activation), [&] { calls_.push_back({function_, next_}); });
  function_ = in.a;
  next_ = static_cast<std::size_t>(-1);  // the loop goes on to instruction 0
  if (observer_ != nullptr) observer_->moved("call of", function_, calls_.size());
}

void StackMachine::pair() {
  Value both = make_pair_value(std::move(stack_[stack_.size() - 2]), std::move(stack_.back()));
  stack_.pop_back();
  stack_.back() = std::move(both);
}

void StackMachine::unpair() {
  const auto* p = std::get_if<std::shared_ptr<const PairValue>>(&stack_.back());
  if (p == nullptr)
    throw Fault{Fault::Kind::kType,
                "attempting to UNPAIR an non-pair (" + std::string(type_name(type_of(stack_.back()))) + ")"};
  const std::shared_ptr<const PairValue> both = *p;
  stack_.back() = both->left;
  stack_.push_back(both->right);
}

void StackMachine::execute(const Instr& in) {
  const OpInfo& info = op_info(in.op);
  const std::size_t n = info.operands.size();
  need(in, n);
  const std::span<Value> operands(stack_.data() + (stack_.size() - n), n);
  check_args(in.op, in.word, operands, machine_.prims.prefix_lengths);
  Value results[5];  // SPAWN has the most
  const std::span<Value> out(results, info.results.size());
  count(work_of(counted_by(in.op), operands), 1);
  const bool moved = machine_.tally != nullptr && machine_.tally->counts_bytes;
  const std::int64_t read = moved ? bytes_read(in.op, operands) : 0;
  if (info.kind == OpKind::kHost)
    machine_.host->run(in.op, in.word, in.pos, operands, out);
  else
    run_primitive(machine_.prims, in.op, in.word, operands, out);
  if (moved) machine_.tally->bytes += read + vector_bytes(out);
  if (counted_by(in.op) == Counted::kResults) count(work_after(Work::kR, out), 0);
  for (std::size_t i = 0; i < n; ++i) stack_.pop_back();
  for (Value& result : out) stack_.push_back(std::move(result));
}

RunError StackMachine::locate(const Fault& fault) const {
  const auto place = [this](std::int32_t function, std::size_t at) {
    const Function& f = program_.functions[static_cast<std::size_t>(function)];
    const Instr& in = f.code[std::min(at, f.code.size() - 1)];
    return CallPlace{f.origin.empty() ? f.name : f.origin, in.pos, in.origin_line};
  };
  RunError error;
  error.kind = fault.kind;
  error.message = fault.message;
  const Instr& in = program_.functions[static_cast<std::size_t>(function_)].code[next_];
  error.instruction = op_name(in.op);
  if (in.word != TypeWord::kNone) error.instruction += " " + std::string(type_word_text(in.word));
  error.at = place(function_, next_);
  error.depth = static_cast<std::int64_t>(calls_.size());
  for (auto c = calls_.rbegin(); c != calls_.rend() && error.calls.size() < RunError::kMostCalls; ++c)
    error.calls.push_back(place(c->function, c->next));
  return error;
}

}  // namespace nvm::vm
