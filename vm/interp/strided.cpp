// Indices that only say where one value is put, along runs of places a stride apart, are not written out:
// their slot holds the operands of INDEX. A sieve is of this kind.
#include "vm/prims/strided.h"
#include "vm/interp/interp.h"

namespace nvm::vm {

bool Interp::leave_strided(const Step& step, std::span<Value> operands, std::span<Value> results) {
  constexpr std::int64_t kWorth = 1 << 14;  // elements
  constexpr std::int64_t kRun = 64;         // elements of a run, on average
  if (alone_ || values_seen() || machine_.prims.prefix_lengths) return false;
  Value& descriptor = operands.back();
  force(descriptor);
  const auto* s = std::get_if<Segdes>(&descriptor);
  if (s == nullptr || s->total() < kWorth) return false;
  if (step.op == Op::kDist && s->segments() != 1) return false;
  if (step.op == Op::kIndex && s->total() < kRun * s->segments()) return false;
  for (Value& operand : operands) force(operand);
  const bool counts = counts_ && machine_.hook != nullptr;
  if (step.op == Op::kDist) {
    if (counts) count(step, operands);
    run_repeating_dist(machine_.prims, step.word, operands, results);
    return true;
  }
  for (const Value& operand : operands.first(2)) {
    const auto* v = std::get_if<Vector>(&operand);
    if (v == nullptr || v->length() != s->segments()) return false;
  }
  if (counts) count(step, operands);
  Value apart = std::make_shared<const PairValue>(PairValue{std::move(operands[1]), std::move(operands[2])});
  results[0] = std::make_shared<const PairValue>(PairValue{std::move(operands[0]), std::move(apart)});
  return true;
}

// False: the indices are there, and the instruction is to be executed by them.
bool Interp::put_strided(std::span<Value> operands, std::span<Value> results) const {
  const auto* pair = std::get_if<std::shared_ptr<const PairValue>>(&operands[1]);
  if (pair == nullptr) return false;
  const PairValue& index = **pair;
  const PairValue& apart = *std::get<std::shared_ptr<const PairValue>>(index.right);
  const auto& starts = std::get<Vector>(index.left);
  const auto& strides = std::get<Vector>(apart.left);
  const auto& along = std::get<Segdes>(apart.right);
  const auto& value = std::get<Vector>(operands[0]);
  auto& defaults = std::get<Vector>(operands[2]);
  const auto& from = std::get<Segdes>(operands[3]);
  const auto& into = std::get<Segdes>(operands[4]);
  const bool fits = from.segments() == 1 && into.segments() == 1 && value.is_repeated() &&
                    value.length() == along.total() && from.total() == along.total() &&
                    defaults.length() == into.total();
  if (fits &&
      vm::put_strided(machine_.prims, value.repeated_element(), starts, strides, along, defaults, results[0]))
    return true;
  Value parts[3] = {index.left, apart.left, along};
  Value made;
  run_primitive(machine_.prims, Op::kIndex, TypeWord::kNone, parts, {&made, 1});
  operands[1] = std::move(made);
  return false;
}

}  // namespace nvm::vm
