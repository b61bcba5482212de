#include "vm/tier/block_compute.h"

#include <utility>

#include "bytecode/table/op_kind.h"

namespace nvm::vm {

using plan::BlockInput;
using plan::RunStatus;
using soac::kNone;

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr Register kNotMade = [] {
  Register r;
  r.length = kNone;
  return r;
}();

}  // namespace

BlockCompute::BlockCompute(const FunctionCode& code, Arena& arena, const PrimContext& context,
                           const std::atomic<Stop>* stop)
    : arena_(arena),
      context_(context),
      stop_(stop),
      values_(arena, context.int_bits),
      arrays_(code.most_vars),
      descs_(code.most_vars),
      lengths_(code.most_lengths),
      bound_(code.most_vars, kNotMade) {}

std::optional<GaveUp> BlockCompute::run(const BlockCode& block, BlockFrame frame) {
  const plan::PlanBlock& b = *block.block;
  if (b.inputs.empty()) return std::nullopt;
  plan_ = &b.plan;
  for (std::size_t n = 0; n < plan_->lengths.size(); ++n)
    lengths_[n] = plan_->lengths[n] == plan::LengthKind::kOne ? 1 : kNone;
  for (const BlockInput& in : b.inputs)
    if (const auto why = bind(in, frame[in.source])) return why;
  if (block.code != nullptr)
    if (const auto why = execute(block)) return why;
  for (const plan::BlockOutput& out : b.outputs) {
    if (!take(at(out.var))) return GaveUp::kMemory;
    frame.values[at(out.value)] = bound_[at(out.var)];
    Arena::retain(bound_[at(out.var)].memory);
  }
  let_go();
  return std::nullopt;
}

std::optional<GaveUp> BlockCompute::execute(const BlockCode& block) {
  if (!arena_.allows(block.bound.bytes(lengths_))) return GaveUp::kMemory;
  const std::size_t vars = plan_->vars.size();
  switch (block.code->run({std::span(arrays_).first(vars), std::span(descs_).first(vars),
                           std::span(lengths_).first(plan_->lengths.size()), this, 1})) {
    case RunStatus::kDone: return std::nullopt;
    case RunStatus::kNoMemory: return GaveUp::kMemory;
    case RunStatus::kCancelled: return GaveUp::kStopped;
    default: return GaveUp::kTrapped;
  }
}

// A length is the same for all that have it.
bool BlockCompute::fits(plan::LengthId id, std::int64_t n) {
  std::int64_t& known = lengths_[at(id)];
  if (known == kNone) known = n;
  return known == n;
}

std::optional<GaveUp> BlockCompute::bind(const BlockInput& in, Register& from) {
  const auto x = at(in.var);
  const plan::Var& v = plan_->vars[x];
  Register& to = bound_[x];
  if (in.what == BlockInput::What::kLengths) {
    if (!values_.lengths_of(from, to)) return GaveUp::kMemory;
  } else if (in.what == BlockInput::What::kValue) {
    if (v.is_desc && v.form != plan::DescForm::kOneSegment && !values_.spell_out(from))
      return GaveUp::kMemory;
    to = from;
    Arena::retain(to.memory);
  } else {
    to = {};
    to.length = 1;
    to.number = in.what == BlockInput::What::kCount ? from.length : from.total;
  }
  if (v.is_desc ? bind_segments(v, x) : bind_vector(v, x)) return std::nullopt;
  return GaveUp::kLengths;
}

bool BlockCompute::take(std::size_t x) {
  if (bound_[x].length != kNone) return true;
  const plan::Var& v = plan_->vars[x];
  if (v.is_desc) return take_segments(v, x);
  take_vector(v, x);
  return true;
}

bool BlockCompute::bind_vector(const plan::Var& v, std::size_t x) {
  const Register& from = bound_[x];
  plan::Array& a = arrays_[x];
  a.data = from.data;
  a.length = from.length;
  a.storage = v.storage;
  if (v.type == Type::kFloat)
    a.real = from.real;
  else
    a.scalar = from.number;
  return fits(v.length, from.length);
}

bool BlockCompute::bind_segments(const plan::Var& v, std::size_t x) {
  const Register& from = bound_[x];
  plan::Desc& d = descs_[x];
  d.segments = from.length;
  d.total = from.total;
  d.regular_length = from.data == nullptr ? from.each : 0;
  d.offsets = from.offsets();
  return fits(v.length, from.length) && fits(v.total, from.total);
}

void BlockCompute::take_vector(const plan::Var& v, std::size_t x) {
  Register& made = bound_[x];
  const plan::Array& a = arrays_[x];
  made.length = lengths_[at(v.length)];
  made.data = a.data;
  if (made.length != 1) return;
  // One element may stand in memory that was asked for more.
  const void* one = made.memory != nullptr ? made.memory->data() : nullptr;
  if (v.type == Type::kFloat)
    made.real = one != nullptr ? *static_cast<const double*>(one) : a.real;
  else if (one == nullptr)
    made.number = a.scalar;
  else if (v.storage == Storage::kB8)
    made.number = *static_cast<const std::uint8_t*>(one);
  else
    made.number = v.storage == Storage::kI32 ? *static_cast<const std::int32_t*>(one)
                                             : *static_cast<const std::int64_t*>(one);
  made.data = nullptr;
}

// What a filter keeps of each segment, or one segment.
bool BlockCompute::take_segments(const plan::Var& v, std::size_t x) {
  Arena::Block* counts = bound_[x].memory;
  bool fits = true;
  if (v.form == plan::DescForm::kOneSegment) {
    bound_[x] = {};
    bound_[x].length = 1;
    bound_[x].each = bound_[x].total = lengths_[at(v.total)];
  } else {
    fits = values_.segments_of(arrays_[x], bound_[x]);
  }
  arena_.release(counts);
  return fits;
}

void BlockCompute::let_go() {
  for (std::size_t x = 0; x < plan_->vars.size(); ++x) {
    arena_.release(bound_[x].memory);
    bound_[x] = kNotMade;
  }
}

// ------------------------------------------------------------------------------------------ for the engine

void* BlockCompute::allocate(plan::VarId var, Storage storage, std::int64_t length) {
  Register& made = bound_[at(var)];
  arena_.release(made.memory);
  made.memory = arena_.allocate(ByteCount::of(length, storage_bytes(storage)));
  return made.memory == nullptr ? nullptr : made.memory->data();
}

bool BlockCompute::hand_over(plan::VarId from, plan::VarId to) {
  Arena::Block*& memory = bound_[at(from)].memory;
  if (memory == nullptr || memory->references != 1) return false;
  arena_.release(bound_[at(to)].memory);
  bound_[at(to)].memory = std::exchange(memory, nullptr);
  return true;
}

void BlockCompute::release(plan::VarId var) {
  arena_.release(bound_[at(var)].memory);
  bound_[at(var)] = kNotMade;
}

plan::RunStatus BlockCompute::primitive(plan::PrimitiveStep& step) {
  const plan::Sink& sink = plan_->kernels[step.kernel].sinks.front();
  try {
    return sink.kind == plan::SinkKind::kSegdes ? segments(step, sink) : rank(step, sink);
  } catch (const Fault& fault) {
    return fault.kind == Fault::Kind::kMemory ? RunStatus::kNoMemory : RunStatus::kTrapped;
  }
}

plan::RunStatus BlockCompute::segments(plan::PrimitiveStep& step, const plan::Sink& sink) {
  const auto x = at(sink.out_desc);
  Register& made = bound_[x];
  if (!values_.segments_of(step.operand, made)) return RunStatus::kTrapped;
  if (plan_->vars[x].form != plan::DescForm::kOneSegment && !values_.spell_out(made))
    return RunStatus::kNoMemory;
  step.made = {made.length, made.total, made.data == nullptr ? made.each : 0, made.offsets(), nullptr};
  return RunStatus::kDone;
}

plan::RunStatus BlockCompute::rank(plan::PrimitiveStep& step, const plan::Sink& sink) {
  Register keys, runs;
  keys.length = step.operand.length;
  keys.data = step.operand.data;
  if (keys.length == 1 && sink.type == Type::kFloat) keys.real = step.operand.real;
  if (keys.length == 1 && sink.type != Type::kFloat) keys.number = step.operand.scalar;
  runs.length = step.segments.segments;
  runs.total = step.segments.total;
  runs.each = step.segments.regular_length;
  runs.data = const_cast<std::int64_t*>(step.segments.offsets);
  if (sink.desc == kNone) {
    runs = {};
    runs.length = 1;
    runs.each = runs.total = keys.length;
  }
  Value operands[] = {values_.leave(keys, sink.type, *context_.pool),
                      values_.leave(runs, Type::kSegdes, *context_.pool)};
  Value ranks;
  run_primitive(context_, rank_op(sink.down), sink.type == Type::kFloat ? TypeWord::kFloat : TypeWord::kInt,
                operands, {&ranks, 1});
  Register& made = bound_[at(sink.out)];
  if (!values_.copy(ranks, Type::kInt, made)) return RunStatus::kNoMemory;
  step.result.data = made.data;
  step.result.length = made.length;
  step.result.storage = values_.widest(Type::kInt);
  step.result.scalar = made.length == 1 ? made.number : 0;
  return RunStatus::kDone;
}

}  // namespace nvm::vm
