// What is done with several elements or instructions at once where nobody records them.
#include <algorithm>

#include "vm/interp/interp.h"
#include "vm/interp/moved.h"
#include "vm/interp/value_moves.h"
#include "vm/prims/alike.h"
#include "vm/prims/spread.h"

namespace nvm::vm {

// Equal elements are computed once. Operands that are to be read one by one are written, for all
// readers.
bool Interp::alike(const Step& step, std::int32_t slot) {
  Value* operands = scratch_.data();
  Value& result = slot >= 0 ? frame_[slot] : outputs_[0];
  if (run_alike({machine_.prims, step.op, step.word, operands, &result})) {
    for (std::uint32_t i = 0; i < step.operands; ++i) release(operands[i]);
    if (slot < 0) release(result);
    return true;
  }
  write_repeated_operands(step);
  return false;
}

// A counter of loops that go in step is the same in all of them. Lines would have to be compiled once more.
void Interp::repeat_alike(std::span<Value> arguments) const {
  constexpr std::int64_t kWorth = 16;  // elements
  for (Value& argument : arguments) {
    const auto* v = std::get_if<Vector>(&argument);
    if (v == nullptr || v->type() != Type::kInt || v->length() < kWorth || v->is_repeated() || !all_alike(*v))
      continue;
    argument = repeat_element(Vector::of_int(v->int_at(0)), v->length(), machine_.prims);
  }
}

void Interp::write_repeated_operands(const Step& step) {
  for (std::uint32_t i = 0; i < step.operands; ++i) {
    if ((step.repeated >> i & 1) != 0) continue;
    const auto* v = std::get_if<Vector>(&scratch_[i]);
    if (v == nullptr || !v->is_repeated()) continue;
    const Value one = *v;
    write_repeated(scratch_[i]);
    // The instruction, too, was taken to read one element.
    if (machine_.moved != nullptr) count_moved(v->bytes() - vm::vector_bytes({&one, 1}));
    const Operand from = function_->operands[step.first_operand + i];
    if (!from.is_constant() && !from.dies()) copy_value(scratch_[i], frame_[from.slot()]);
  }
}

// Takes from the stash what the first of a group has made, or makes it for all.
bool Interp::pack_group(const Step& step) {
  if (step.group == Step::kInGroup) {
    const auto made = std::find_if(packed_.begin(), packed_.end(),
                                   [&](const auto& packed) { return packed.first == step.inst; });
    if (made == packed_.end()) return false;
    store(step, made->second.results.data());
    packed_.erase(made);
  } else {
    const auto& members = function_->groups[static_cast<std::size_t>(step.group)].members;
    Packing packings[kMostPackings];
    for (std::size_t i = 0; i < members.size(); ++i) {
      packings[i].relation = members[i].relation;
      packings[i].second = members[i].second;
      packings[i].half = members[i].half;
    }
    if (!pack_together({machine_.prims, step.op, step.word, scratch_.data(), nullptr},
                       {packings, members.size()}))
      return false;
    store(step, packings[0].results.data());
    for (std::size_t i = 1; i < members.size(); ++i)
      packed_.emplace_back(members[i].inst, std::move(packings[i]));
  }
  for (std::uint32_t i = 0; i < step.operands; ++i) release(scratch_[i]);
  return true;
}

// RANK and PERMUTE as one step. The places stay away if the elements are here.
bool Interp::sort(const Step& step, std::span<Value> operands, std::span<Value> results) {
  if (step.op == Op::kPermute && !std::holds_alternative<ViewRef>(operands[1])) return false;
  if (machine_.hook != nullptr) note_line(step);
  if (machine_.hook != nullptr)
    for (Value& operand : operands) machine_.hook->force(operand);
  note_unwritten(step);
  if (counts_ && machine_.hook != nullptr) count(step, operands);
  std::optional<Moving> moving;
  if (machine_.moved != nullptr && machine_.hook != nullptr) moving.emplace(step.op).reads(operands[0]);
  step.sorts({machine_.prims, step.op, step.word, operands.data(), results.data()});
  if (!moving) return true;
  moving->writes(results[0]);
  count_moved(moving->bytes());
  return true;
}

// Nothing that only instructions understand.
void Interp::written(Value& value) const {
  force(value);
  if (leaves_views()) vm::write_repeated(machine_.prims, value);
}

}  // namespace nvm::vm
