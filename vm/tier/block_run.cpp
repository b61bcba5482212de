#include "vm/tier/block_run.h"

#include <algorithm>

namespace nvm::vm {

using plan::BlockEnd;
using plan::BlockSource;
using plan::PlanBlock;

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

BlockRun::BlockRun(const FunctionCode& code, std::span<const Value> constants, const PrimContext& context,
                   const Limits& limits)
    : code_(code),
      given_constants_(constants),
      context_(context),
      limits_(limits),
      arena_(*context.pool, limits.arena_bytes, limits.arena_piece),
      values_(arena_, context.int_bits),
      compute_(code, arena_, context, limits.stop) {}

std::optional<std::vector<Value>> BlockRun::run(std::span<const Value> arguments) {
  if (!enter_constants() || !enter_arguments(arguments)) return std::nullopt;
  while (!returned_)
    if (!step(frame_.procedure->blocks[block_])) return std::nullopt;
  const std::vector<Type>& types = code_.plan.procedures.front().results;
  std::vector<Value> results;
  for (std::size_t r = 0; r < types.size(); ++r)
    results.push_back(values_.leave(passed_[r], types[r], *context_.pool));
  return results;
}

bool BlockRun::enter_constants() {
  constants_.resize(code_.constants.empty() ? 0 : at(code_.constants.back()) + 1);
  for (const std::int32_t c : code_.constants)
    if (!values_.enter(given_constants_[at(c)], nvm::type_of(code_.plan.constants[at(c)].word),
                       constants_[at(c)]))
      return give_up(GaveUp::kValues);
  return true;
}

bool BlockRun::enter_arguments(std::span<const Value> arguments) {
  const plan::Procedure& entry = code_.plan.procedures.front();
  passed_.resize(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!values_.enter(arguments[i], entry.value_types[at(entry.parameters[0][i])], passed_[i]))
      return give_up(GaveUp::kValues);
  return open(0, nullptr, 0);
}

// Begins a procedure with what is passed, behind the registers of callers_.
bool BlockRun::open(std::int32_t procedure, const BlockCode* call, std::int64_t depth) {
  frame_.procedure = &code_.procedures[at(procedure)];
  frame_.base =
      callers_.empty() ? 0 : callers_.back().base + callers_.back().procedure->procedure->value_types.size();
  frame_.call = call;
  frame_.depth = depth;
  const std::size_t end = frame_.base + frame_.procedure->procedure->value_types.size();
  const bool too_many = limits_.calls > 0 && depth >= limits_.calls;
  if (too_many || end * sizeof(Register) + callers_.size() * sizeof(Frame) > limits_.frame_bytes)
    return give_up(GaveUp::kCalls);
  if (registers_.size() < end) {
    const std::size_t grown = std::max(end, 2 * registers_.size());  // beside those that there are
    if ((registers_.size() + grown) * sizeof(Register) > limits_.frame_bytes) return give_up(GaveUp::kCalls);
    registers_.resize(grown);
  }
  block_ = 0;
  const std::vector<plan::ValueId>& parameters = frame_.procedure->procedure->parameters[0];
  for (std::size_t i = 0; i < parameters.size(); ++i) reg(parameters[i]) = passed_[i];
  return true;
}

void BlockRun::forget(std::span<const plan::ValueId> dead) {
  for (const plan::ValueId v : dead) {
    arena_.release(reg(v).memory);
    reg(v) = {};
  }
}

void BlockRun::pass(std::span<const BlockSource> from) {
  passed_.clear();
  for (const BlockSource& s : from) {
    passed_.push_back(source(s));
    Arena::retain(passed_.back().memory);
  }
}

bool BlockRun::step(const BlockCode& block) {
  const PlanBlock& b = *block.block;
  if (compute_.stopped()) return give_up(GaveUp::kStopped);
  if (b.end == BlockEnd::kGiveUp) return give_up(GaveUp::kError);
  ++blocks_;
  const BlockFrame frame{registers_.data() + frame_.base, constants_.data()};
  if (const auto why = compute_.run(block, frame)) return give_up(*why);
  switch (b.end) {
    case BlockEnd::kGiveUp: return false;
    case BlockEnd::kJump: {
      pass(b.arguments);
      forget(block.dead);
      block_ = at(b.target);
      const std::vector<plan::ValueId>& parameters = frame_.procedure->procedure->parameters[block_];
      for (std::size_t i = 0; i < parameters.size(); ++i) reg(parameters[i]) = passed_[i];
      return true;
    }
    case BlockEnd::kBranch: {
      if (source(b.condition).length != 1) return give_up(GaveUp::kLengths);
      const bool taken = source(b.condition).number != 0;
      forget(taken ? block.dead : block.dead_otherwise);
      block_ = at(taken ? b.target : b.otherwise);
      return true;
    }
    case BlockEnd::kCall: return call(block);
    case BlockEnd::kReturn:
      pass(b.arguments);
      forget(block.dead);
      leave();
      return true;
  }
  return false;
}

bool BlockRun::call(const BlockCode& block) {
  pass(block.block->arguments);
  forget(block.dead);
  if (block.tail) return open(block.block->callee, frame_.call, frame_.depth + 1);
  callers_.push_back(frame_);
  return open(block.block->callee, &block, frame_.depth + 1);
}

// What is passed are the results.
void BlockRun::leave() {
  const BlockCode* call = frame_.call;
  if (call == nullptr) {
    returned_ = true;
    return;
  }
  frame_ = callers_.back();
  callers_.pop_back();
  block_ = at(call->block->target);
  for (std::size_t r = 0; r < call->result_read.size(); ++r) {
    if (call->result_read[r])
      reg(call->block->results[r]) = passed_[r];
    else
      arena_.release(passed_[r].memory);
  }
}

}  // namespace nvm::vm
