// What the cost model counts for an instruction (column `work` of the instruction table), and bytes. An
// instruction's work is work_before its operands plus work_after its results; one of the two is zero.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "bytecode/ssa/ssa.h"
#include "bytecode/table/op_kind.h"
#include "vm/data/value.h"
#include "vm/prims/views.h"

namespace nvm::vm {

[[nodiscard]] inline std::int64_t length_of(const Value& value) {
  if (const auto* v = std::get_if<Vector>(&value)) return v->length();
  if (const auto* s = std::get_if<Segdes>(&value)) return s->segments();
  if (const auto* f = std::get_if<ViewRef>(&value)) return (*f)->s.total();
  return 1;  // a pair
}

// Elements that one has, or under it: what an instruction on it is likely to touch.
[[nodiscard]] inline std::int64_t elements_of(const Value& value) {
  if (const auto* v = std::get_if<Vector>(&value)) return v->length();
  const auto* s = std::get_if<Segdes>(&value);
  return s != nullptr ? std::max(s->total(), s->segments()) : 0;
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

// What an instruction reads of its operands.
[[nodiscard]] inline std::int64_t bytes_read(Op op, std::span<const Value> operands) {
  if (!picks(op) || operands.size() < 2) return vector_bytes(operands);
  const auto* v = std::get_if<Vector>(&operands[0]);
  if (v == nullptr || v->length() <= length_of(operands[1])) return vector_bytes(operands);
  return length_of(operands[1]) * (v->bytes() / v->length()) + vector_bytes(operands.subspan(1));
}

// What counts before an instruction has results: what has the elements that they will have.
enum class Counted : std::uint8_t {
  kNothing,
  kOne,
  kFirst,     // the first operand
  kSegments,  // of the descriptor, which is the last operand
  kTotal,     // of that descriptor
  kResults    // only they tell: what is read from outside
};

// By the shapes of the instruction table: which operand has the length of the result.
[[nodiscard]] inline Counted counted_by(Op op) {
  const OpInfo& info = op_info(op);
  if (info.work == Work::k1) return Counted::kOne;
  const Shape& shape = op_shape(op);
  if (shape.operands == 0) return Counted::kResults;
  if (info.work == Work::kN) return Counted::kFirst;
  const char result = shape.terms[shape.operands].length;
  const ShapeTerm& last = shape.terms[shape.operands - 1];
  if (shape.results != 1) return Counted::kResults;
  if (result == last.total) return Counted::kTotal;
  return result == last.length ? Counted::kSegments : Counted::kResults;
}

// Of an instruction where it stands.
[[nodiscard]] inline Counted counted_by(const ssa::Inst& inst) {
  return inst.unpaid ? Counted::kNothing : counted_by(inst.op);
}

// Without kResults.
[[nodiscard]] inline std::int64_t work_of(Counted counted, std::span<const Value> operands) {
  if (counted == Counted::kOne) return 1;
  if (counted == Counted::kNothing || counted == Counted::kResults || operands.empty()) return 0;
  if (counted == Counted::kFirst) return length_of(operands[0]);
  const auto* s = std::get_if<Segdes>(&operands.back());
  if (s == nullptr) return 0;  // faults
  return counted == Counted::kTotal ? s->total() : s->segments();
}

// What a run executes, counted where it happens: an observer costs more than a small instruction.
struct Tally {
  bool counts_bytes = false;  // moved by instructions (moved.h), which costs
  std::uint64_t instructions = 0;
  std::uint64_t work = 0;
  std::uint64_t uncharged = 0;  // instructions that count nothing
  std::int64_t bytes = 0;
  std::uint64_t steps = 0;        // calls and turns of loops; what the stack machine does beside instructions
  std::uint64_t fuel = kNoLimit;  // of what is spent

  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  [[nodiscard]] std::uint64_t spent() const { return work + instructions + uncharged + steps; }
  // Throws Fault kTime if there is none left.
  void burn() const {
    if (spent() > fuel) [[unlikely]]
      throw Fault{Fault::Kind::kTime, "fuel used up: more work than allowed (--fuel)"};
  }
  void burn_step(std::uint64_t more = 1) {
    steps += more;
    burn();
  }

  void add(std::int64_t elements, std::uint64_t of_instructions = 1) {
    instructions += of_instructions;
    work += static_cast<std::uint64_t>(elements);
  }
};

}  // namespace nvm::vm
