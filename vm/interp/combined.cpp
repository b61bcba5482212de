#include "vm/interp/combined.h"

#include <algorithm>

#include "vm/interp/moved.h"
#include "vm/interp/value_moves.h"
#include "vm/prims/repeated.h"
#include "vm/prims/spread.h"

namespace nvm::vm {

bool Combined::repeated(const Step& step, std::int32_t slot) {
  Value* operands = at_.scratch.data();
  Value& result = slot >= 0 ? at_.frame[slot] : at_.outputs[0];
  if (run_repeated({machine_.prims, step.op, step.word, operands, &result})) {
    for (std::uint32_t i = 0; i < step.operands; ++i) release(operands[i]);
    if (slot < 0) release(result);
    return true;
  }
  write_repeated_operands(step);
  return false;
}

// A counter of loops that go in step is the same in all of them.
void Combined::repeat_equal(std::span<Value> arguments) const {
  constexpr std::int64_t kWorth = 16;  // elements
  for (Value& argument : arguments) {
    const auto* v = std::get_if<Vector>(&argument);
    if (v == nullptr || v->type() != Type::kInt || v->length() < kWorth || v->is_repeated() || !all_equal(*v))
      continue;
    argument = repeat_element(Vector::of_int(v->int_at(0)), v->length(), machine_.prims);
  }
}

void Combined::write_repeated_operands(const Step& step) {
  for (std::uint32_t i = 0; i < step.operands; ++i) {
    if ((step.repeated >> i & 1) != 0) continue;
    const auto* v = std::get_if<Vector>(&at_.scratch[i]);
    if (v == nullptr || !v->is_repeated()) continue;
    const Value one = *v;
    write_repeated(at_.scratch[i]);
    // The instruction, too, was taken to read one element.
    if (accounts_.counts_moved()) accounts_.moved(v->bytes() - vm::vector_bytes({&one, 1}));
    const Operand from = at_.operands_of(step)[i];
    if (!from.is_constant() && !from.dies()) copy_value(at_.scratch[i], at_.frame[from.slot()]);
  }
}

void Combined::write_repeated(Value& value) const {
  vm::write_repeated(machine_.prims, value);
  if (accounts_.counts_moved()) accounts_.moved(vector_bytes({&value, 1}));
}

bool Combined::has_packed(const Step& step) const {
  return step.group == Step::kInGroup && std::any_of(packed_.begin(), packed_.end(), [&](const auto& packed) {
           return packed.first == step.inst;
         });
}

// Takes from the stash what the first of a group has made, or makes it for all.
bool Combined::pack_group(const Step& step) {
  if (step.group == Step::kInGroup) {
    const auto made = std::find_if(packed_.begin(), packed_.end(),
                                   [&](const auto& packed) { return packed.first == step.inst; });
    if (made == packed_.end()) return false;
    at_.store(step, made->second.results.data());
    packed_.erase(made);
  } else {
    const auto& members = at_.function->groups[static_cast<std::size_t>(step.group)].members;
    Packing packings[kMostPackings];
    for (std::size_t i = 0; i < members.size(); ++i) {
      packings[i].relation = members[i].relation;
      packings[i].second = members[i].second;
      packings[i].half = members[i].half;
    }
    if (!pack_together({machine_.prims, step.op, step.word, at_.scratch.data(), nullptr},
                       {packings, members.size()}))
      return false;
    at_.store(step, packings[0].results.data());
    for (std::size_t i = 1; i < members.size(); ++i)
      packed_.emplace_back(members[i].inst, std::move(packings[i]));
  }
  for (std::uint32_t i = 0; i < step.operands; ++i) release(at_.scratch[i]);
  return true;
}

// RANK and PERMUTE as one step. The places stay away if the elements are here.
bool Combined::sort(const Step& step, std::span<Value> operands, std::span<Value> results) {
  if (step.op == Op::kPermute && !std::holds_alternative<ViewRef>(operands[1])) return false;
  if (machine_.hook != nullptr) accounts_.note_line(step);
  if (machine_.hook != nullptr)
    for (Value& operand : operands) written(operand);
  accounts_.note_delayed(step);
  if (accounts_.counts() && machine_.hook != nullptr) accounts_.count(step, operands);
  std::optional<Moving> moving;
  if (accounts_.counts_moved() && machine_.hook != nullptr) moving.emplace(step.op).reads(operands[0]);
  step.sorts({machine_.prims, step.op, step.word, operands.data(), results.data()});
  if (!moving) return true;
  moving->writes(results[0]);
  accounts_.moved(moving->bytes());
  return true;
}

void Combined::written(Value& value) const {
  force(value);
  if (views_.repeats) vm::write_repeated(machine_.prims, value);
}

void Combined::write_untaken(const Step& step, std::span<Value> operands) const {
  for (std::size_t i = 0; i < operands.size(); ++i)
    if ((step.repeated >> i & 1) == 0) vm::write_repeated(machine_.prims, operands[i]);
}

}  // namespace nvm::vm
