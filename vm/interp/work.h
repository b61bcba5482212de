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

[[nodiscard]] inline std::int64_t work_before(Work work, std::span<const Value> operands) {
  switch (work) {
    case Work::k1: return 1;
    case Work::kN: return operands.empty() ? 0 : length_of(operands[0]);
    case Work::kR: return 0;
  }
  return 0;
}

[[nodiscard]] inline std::int64_t work_after(Work work, std::span<const Value> results) {
  if (work != Work::kR) return 0;
  std::int64_t sum = 0;
  for (const Value& value : results) sum += length_of(value);
  return sum;
}
// The same of an instruction.
[[nodiscard]] inline std::int64_t work_before(const ssa::Inst& inst, std::span<const Value> operands) {
  return work_before(op_info(inst.op).work, operands);
}
[[nodiscard]] inline std::int64_t work_after(const ssa::Inst& inst, std::span<const Value> results) {
  return work_after(op_info(inst.op).work, results);
}

// Memory that the vectors among the values take: one element, if that stands for all of them.
[[nodiscard]] inline std::int64_t vector_bytes(std::span<const Value> values) {
  std::int64_t bytes = 0;
  for (const Value& value : values)
    if (const auto* v = std::get_if<Vector>(&value))
      bytes += v->is_repeated() ? v->bytes() / v->length() : v->bytes();
  return bytes;
}

// What an interpreter executed by itself, counted where it happens: an observer costs more than a small
// instruction. Regions and groups are not in it.
struct Tally {
  bool counts_bytes = false;
  std::uint64_t instructions = 0;
  std::uint64_t work = 0;
  std::uint64_t bytes = 0;

  void before(Work kind, std::span<const Value> operands) {
    ++instructions;
    work += static_cast<std::uint64_t>(work_before(kind, operands));
    if (counts_bytes) bytes += static_cast<std::uint64_t>(vector_bytes(operands));
  }
  void after(Work kind, std::span<const Value> results) {
    work += static_cast<std::uint64_t>(work_after(kind, results));
    if (counts_bytes) bytes += static_cast<std::uint64_t>(vector_bytes(results));
  }
};

}  // namespace nvm::vm
