// Where an interpreter stands: function, step and frame, and the values that steps find there.
#pragma once

#include <span>
#include <vector>

#include "vm/interp/code.h"
#include "vm/interp/value_moves.h"

namespace nvm::vm {

struct Registers {
  const CodeFunction* function = nullptr;
  const Step* step = nullptr;
  Value* frame = nullptr;
  std::vector<Value> constants;  // of the code, inputs filled in
  std::vector<Value> scratch;    // operands on their way
  Value outputs[4];              // results on their way

  [[nodiscard]] const Operand* operands_of(const Step& s) const {
    return function->operands.data() + s.first_operand;
  }
  [[nodiscard]] const std::int32_t* slots_of(const Step& s) const {
    return function->result_slots.data() + s.first_result;
  }
  [[nodiscard]] const Value& peek(Operand operand) const {
    return operand.is_constant() ? constants[static_cast<std::size_t>(operand.constant())]
                                 : frame[operand.slot()];
  }
  void fetch_one(Operand operand, Value& to) {
    if (operand.is_constant())
      copy_value(constants[static_cast<std::size_t>(operand.constant())], to);
    else if (operand.dies())
      move_value(frame[operand.slot()], to);
    else
      copy_value(frame[operand.slot()], to);
  }
  void fetch(const Step& s, Value* to) {
    const Operand* operands = operands_of(s);
    for (std::uint32_t i = 0; i < s.operands; ++i) fetch_one(operands[i], to[i]);
  }
  // Results to their slots; those that nobody uses are dropped.
  void store(const Step& s, Value* from) {
    const std::int32_t* slots = slots_of(s);
    for (std::uint32_t i = 0; i < s.results; ++i) {
      if (slots[i] >= 0)
        move_value(from[i], frame[slots[i]]);
      else
        release(from[i]);
    }
  }
  // kJump: operands to the slots of the block that follows.
  void jump(const Step& s) {
    if (s.operands == 0) return;
    if (s.overlaps) {
      fetch(s, scratch.data());
      return store(s, scratch.data());
    }
    const Operand* operands = operands_of(s);
    const std::int32_t* slots = slots_of(s);
    Value unused;
    for (std::uint32_t i = 0; i < s.operands; ++i)
      fetch_one(operands[i], slots[i] >= 0 ? frame[slots[i]] : unused);
  }
  // kDrop
  void drop(const Step& s) {
    const std::int32_t* slots = slots_of(s);
    for (std::uint32_t i = 0; i < s.results; ++i) release(frame[slots[i]]);
  }
};

}  // namespace nvm::vm
