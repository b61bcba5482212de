// What the cost model counts for an instruction (column `work` of the instruction table), and bytes. An
// instruction's work is work_before its operands plus work_after its results; one of the two is zero.
#pragma once

#include <cstdint>
#include <span>

#include "bytecode/ssa/ssa.h"
#include "vm/data/value.h"

namespace nvm::vm {

[[nodiscard]] inline std::int64_t length_of(const Value& value) {
  if (const auto* v = std::get_if<Vector>(&value)) return v->length();
  if (const auto* s = std::get_if<Segdes>(&value)) return s->segments();
  return 1;  // a pair
}

[[nodiscard]] inline std::int64_t work_before(const ssa::Inst& inst, std::span<const Value> operands) {
  switch (op_info(inst.op).work) {
    case Work::k1: return 1;
    case Work::kN: return operands.empty() ? 0 : length_of(operands[0]);
    case Work::kR: return 0;
  }
  return 0;
}

[[nodiscard]] inline std::int64_t work_after(const ssa::Inst& inst, std::span<const Value> results) {
  if (op_info(inst.op).work != Work::kR) return 0;
  std::int64_t work = 0;
  for (const Value& value : results) work += length_of(value);
  return work;
}

// Memory that the vectors among the values take: one element, if that stands for all of them.
[[nodiscard]] inline std::int64_t vector_bytes(std::span<const Value> values) {
  std::int64_t bytes = 0;
  for (const Value& value : values)
    if (const auto* v = std::get_if<Vector>(&value))
      bytes += v->is_repeated() ? v->bytes() / v->length() : v->bytes();
  return bytes;
}

}  // namespace nvm::vm
