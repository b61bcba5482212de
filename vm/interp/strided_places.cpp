#include "vm/interp/strided_places.h"

#include "vm/prims/repeated.h"
#include "vm/prims/strided.h"

namespace nvm::vm {

bool StridedPlaces::leave(const Step& step, std::span<Value> operands, std::span<Value> results) {
  constexpr std::int64_t kWorth = 1 << 14;  // elements
  constexpr std::int64_t kRun = 64;         // elements of a run, on average
  Value& descriptor = operands.back();
  force(descriptor);
  const auto* s = std::get_if<Segdes>(&descriptor);
  if (s == nullptr || s->total() < kWorth) return false;
  if (step.op == Op::kDist && s->segments() != 1) return false;
  if (step.op == Op::kIndex && s->total() < kRun * s->segments()) return false;
  for (Value& operand : operands) force(operand);
  const bool counts = accounts_.counts() && machine_.hook != nullptr;
  accounts_.note_delayed(step);
  if (machine_.hook != nullptr) accounts_.note_line(step);
  if (step.op == Op::kDist) {
    if (counts) accounts_.count(step, operands);
    run_repeating_dist(machine_.prims, step.word, operands, results);
    return true;
  }
  for (const Value& operand : operands.first(2)) {
    const auto* v = std::get_if<Vector>(&operand);
    if (v == nullptr || v->length() != s->segments()) return false;
  }
  if (counts) accounts_.count(step, operands);
  took(machine_.prims, FastPath::kLeaveStrided);
  results[0] =
      runs_view(*s, std::move(std::get<Vector>(operands[0])), std::move(std::get<Vector>(operands[1])));
  return true;
}

bool StridedPlaces::put(std::span<Value> operands, std::span<Value> results) const {
  const View* index = view_of(operands[1], &View::is_strided);
  if (index == nullptr) return false;
  const auto& value = std::get<Vector>(operands[0]);
  auto& defaults = std::get<Vector>(operands[2]);
  const auto& from = std::get<Segdes>(operands[3]);
  const auto& into = std::get<Segdes>(operands[4]);
  const std::int64_t n = index->s.total();
  const bool fits = from.segments() == 1 && into.segments() == 1 && value.is_repeated() &&
                    value.length() == n && from.total() == n && defaults.length() == into.total();
  if (fits && vm::put_strided(machine_.prims, value.repeated_element(), index->base.list, index->strides,
                              index->s, defaults, results[0]))
    return true;
  operands[1] = materialise(*index, machine_.prims);
  return false;
}

}  // namespace nvm::vm
