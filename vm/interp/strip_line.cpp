// Lines of elementwise instructions on long vectors: an instruction joins the line instead of being executed,
// until one comes that needs a result; then the line runs (vm/prims/chain.h). Results that have died by then
// are never made. Lengths are checked when an instruction joins, so that nothing can fail later but memory.
#include <algorithm>

#include "vm/interp/strip_line.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kCheap = 1 << 10;  // elements that are read while a line waits

const Vector* vector_of(const Value& value, std::int64_t length) {
  const auto* v = std::get_if<Vector>(&value);
  return v != nullptr && v->length() == length ? v : nullptr;
}

}  // namespace

// The instruction of the line that makes the operand, or -1.
std::int32_t StripLine::waiting(Operand operand) const {
  return operand.is_constant() ? -1 : waiting_[static_cast<std::size_t>(operand.slot())];
}

// Is something done with it that is no matter of lines?
bool StripLine::goes_alone(const Step& step) const {
  if (!views_.leaves || step.alone == nullptr) return false;
  if (!step.leaves.has(Form::kSlices)) return true;
  const Operand* operands = at_.operands_of(step);
  return std::any_of(operands, operands + step.operands,
                     [&](Operand from) { return std::holds_alternative<ViewRef>(at_.peek(from)); });
}

bool StripLine::begins(const Step& step) const {
  if (goes_alone(step)) return false;
  const Operand* operands = at_.operands_of(step);
  if (step.op == Op::kDist) {
    const auto* s = std::get_if<Segdes>(&at_.peek(operands[1]));
    const auto* v = std::get_if<Vector>(&at_.peek(operands[0]));
    return s != nullptr && s->segments() > 1 && s->total() >= views_.long_from &&
           (v != nullptr ? !v->is_repeated() : views_.leaves);
  }
  const auto* v = std::get_if<Vector>(&at_.peek(operands[0]));
  return v != nullptr && v->length() >= views_.long_from && !(views_.leaves && v->is_repeated());
}

void StripLine::start(const Step& step) {
  const Operand* first = at_.operands_of(step);
  chain_.start(machine_.prims, step.op == Op::kDist ? std::get<Segdes>(at_.peek(first[1])).total()
                                                    : std::get<Vector>(at_.peek(first[0])).length());
  if (waiting_.size() < static_cast<std::size_t>(at_.function->slots))
    waiting_.resize(static_cast<std::size_t>(at_.function->slots), -1);
  accounts_.note_line(step);
}

bool StripLine::join_map(const Step& step) {
  if (!step.chains || step.op == Op::kDist || goes_alone(step)) return false;
  const Operand* operands = at_.operands_of(step);
  for (std::uint32_t i = 0; i < step.operands; ++i) {
    const std::int32_t maker = waiting(operands[i]);
    if (maker >= 0 ? chain_.is_reduction(maker)
                   : vector_of(at_.peek(operands[i]), chain_.length()) == nullptr)
      return false;
  }
  Chain::Ref from[3];
  for (std::uint32_t i = 0; i < step.operands; ++i) {
    from[i] = waiting(operands[i]);
    if (from[i] >= 0) continue;
    Value value;
    at_.fetch_one(operands[i], value);
    from[i] = chain_.operand(std::move(value));
  }
  for (std::uint32_t i = 0; i < step.operands; ++i)
    if (!operands[i].is_constant() && operands[i].dies())
      waiting_[static_cast<std::size_t>(operands[i].slot())] = -1;
  await(step, chain_.map(step.op, step.word, {from, step.operands}));
  return true;
}

// One element per segment; of one segment, and of segments of one element, it costs nothing anyway.
bool StripLine::join_dist(const Step& step) {
  if (step.op != Op::kDist || goes_alone(step)) return false;
  const Operand* operands = at_.operands_of(step);
  const auto* s = std::get_if<Segdes>(&at_.peek(operands[1]));
  if (s == nullptr || s->segments() <= 1 || s->total() != chain_.length() || s->total() == s->segments() ||
      waiting(operands[0]) >= 0 || vector_of(at_.peek(operands[0]), s->segments()) == nullptr ||
      std::get<Vector>(at_.peek(operands[0])).is_repeated() ||
      vector_of(at_.peek(operands[0]), s->segments())->is_repeated())
    return false;
  Value elements;
  Value descriptor;
  at_.fetch_one(operands[0], elements);
  at_.fetch_one(operands[1], descriptor);
  await(step, chain_.dist(step.word, std::move(elements), std::move(descriptor)));
  return true;
}

bool StripLine::join_reduction(const Step& step) {
  if (!Chain::reduces(step.op, chain_.length())) return false;
  const Operand* operands = at_.operands_of(step);
  const std::int32_t maker = waiting(operands[0]);
  const auto* s = std::get_if<Segdes>(&at_.peek(operands[1]));
  if (maker < 0 || chain_.is_reduction(maker) || s == nullptr || s->segments() != 1 ||
      s->total() != chain_.length())
    return false;
  if (operands[0].dies()) waiting_[static_cast<std::size_t>(operands[0].slot())] = -1;
  Value descriptor;
  at_.fetch_one(operands[1], descriptor);
  await(step, chain_.reduce(step.op, step.word, maker));
  return true;
}

// The slot of the step's result is to hold that of instruction `made`.
void StripLine::await(const Step& step, std::int32_t made) {
  const std::int32_t slot = at_.slots_of(step)[0];
  slots_.push_back(slot);
  if (accounts_.counts()) accounts_.count(step, chain_.length());
  if (slot >= 0) waiting_[static_cast<std::size_t>(slot)] = made;
  joined_ = &step;
}

// May it be executed while the line waits? If it needs nothing of it and is cheap: the operands of the line
// stay alive meanwhile.
bool StripLine::passes(const Step& step) const {
  const Operand* operands = at_.operands_of(step);
  for (std::uint32_t i = 0; i < step.operands; ++i)
    if (waiting(operands[i]) >= 0) return false;
  switch (op_info(step.op).kind) {
    case OpKind::kShape:
    case OpKind::kDist:
    case OpKind::kExtract: return true;
    case OpKind::kIota: return step.leaves.has(Form::kRuns);
    case OpKind::kMap: return vector_of(at_.peek(operands[0]), 1) != nullptr;
    case OpKind::kReduce: {
      const auto* v = std::get_if<Vector>(&at_.peek(operands[0]));
      return v != nullptr && v->length() <= kCheap;
    }
    default: return false;
  }
}

void StripLine::finish() {
  std::vector<bool> wanted(chain_.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::int32_t slot = slots_[i];
    wanted[i] = slot >= 0 && waiting_[static_cast<std::size_t>(slot)] == static_cast<std::int32_t>(i);
  }
  std::vector<Value> results;
  const std::int64_t read = accounts_.counts_moved() ? vector_bytes(chain_.operands()) : 0;
  std::swap(at_.step, joined_);  // who runs out of memory is the last that joined
  chain_.run(wanted, results);
  std::swap(at_.step, joined_);
  if (accounts_.counts_moved()) accounts_.moved(read + vector_bytes(results));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) move_value(results[i], at_.frame[slots_[i]]);
  drop();
}

void StripLine::drop() {
  for (const std::int32_t slot : slots_)
    if (slot >= 0) waiting_[static_cast<std::size_t>(slot)] = -1;
  slots_.clear();
  chain_.clear();
}

}  // namespace nvm::vm
