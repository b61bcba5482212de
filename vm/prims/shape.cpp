// The shape column of the instruction table as run-time checks.
#include <algorithm>
#include <array>

#include "vm/prims/operands.h"

namespace nvm::vm {

namespace {

// What of an operand is compared.
enum class Part : std::uint8_t { kLength, kSegments, kTotal };

// Two measures that must agree.
struct Rule {
  std::int8_t first, second;  // operands
  Part first_part, second_part;
};
struct Rules {
  std::array<Rule, 8> rules;
  int count = 0;
};

struct Seen {
  char symbol;
  std::int8_t operand;
  Part part;
};

Rules rules_of(const OpInfo& info) {
  Rules out{};
  std::array<Seen, 16> seen{};
  std::size_t known = 0;
  const auto meet = [&](char symbol, int operand, Part part) {
    if (symbol == '_' || symbol == '1' || symbol == 0) return;
    for (std::size_t i = 0; i < known; ++i) {
      if (seen[i].symbol != symbol) continue;
      out.rules[static_cast<std::size_t>(out.count++)] = {seen[i].operand, static_cast<std::int8_t>(operand),
                                                          seen[i].part, part};
      return;
    }
    seen[known++] = {symbol, static_cast<std::int8_t>(operand), part};
  };
  const Shape& shape = op_shape(info.op);
  for (int i = 0; i < shape.operands; ++i) {
    const bool descriptor = info.operands[static_cast<std::size_t>(i)] == 'S';
    meet(shape.terms[i].length, i, descriptor ? Part::kSegments : Part::kLength);
    if (descriptor) meet(shape.terms[i].total, i, Part::kTotal);
  }
  return out;
}

const std::array<Rules, 256> kRules = [] {
  std::array<Rules, 256> r{};
  for (const OpInfo& info : all_ops())
    if (info.kind != OpKind::kBlock) r[static_cast<std::size_t>(info.op)] = rules_of(info);
  return r;
}();

std::int64_t measure(const PrimCall& call, int operand, Part part) {
  if (part == Part::kLength) return vector_operand(call, operand).length();
  const Segdes& s = segdes_operand(call, operand);
  return part == Part::kSegments ? s.segments() : s.total();
}
std::int64_t measure(std::span<const OperandSize> operands, int operand, Part part) {
  const OperandSize& size = operands[static_cast<std::size_t>(operand)];
  return part == Part::kTotal ? size.total : size.length;
}

[[noreturn]] void shape_fault(Op op, const Rule& rule, std::int64_t a, std::int64_t b) {
  const std::string text(op_info(op).text);
  const std::string i = std::to_string(rule.first);
  const std::string j = std::to_string(rule.second);
  if (rule.second_part == Part::kTotal)
    throw Fault{Fault::Kind::kSegdes, "Args " + i + " and " + j + " to " + text +
                                          " are incompatible: " + std::to_string(a) +
                                          " elements, but segments of " + std::to_string(b) + " in all"};
  throw Fault{Fault::Kind::kLength, "length mismatch between args " + i + "(" + std::to_string(a) + ") and " +
                                        j + "(" + std::to_string(b) + ") in " + text};
}

// `measured` by measure() above.
template <typename Measured>
void check_rules(Op op, const Measured& measured) {
  const Rules& rules = kRules[static_cast<std::size_t>(op)];
  for (int r = 0; r < rules.count; ++r) {
    const Rule& rule = rules.rules[static_cast<std::size_t>(r)];
    const std::int64_t a = measure(measured, rule.first, rule.first_part);
    const std::int64_t b = measure(measured, rule.second, rule.second_part);
    if (a == b) [[likely]]
      continue;
    if (rule.first_part == Part::kSegments && a == 1 && takes_any_destination(op)) continue;
    shape_fault(op, rule, a, b);
  }
}

// The legacy rule of elementwise instructions: the first operand gives the length, longer ones give their
// first elements.
void trim_to_first(const PrimCall& call) {
  const std::int64_t n = vector_operand(call, 0).length();
  for (int i = 1; i < op_shape(call.op).operands; ++i) {
    Vector& v = vector_operand(call, i);
    if (v.length() > n) v = v.first(n);
  }
}

}  // namespace

void check_shape(const PrimCall& call) {
  if (call.context.prefix_lengths && op_info(call.op).kind == OpKind::kMap) trim_to_first(call);
  check_rules(call.op, call);
}

void check_sizes(Op op, bool prefix_lengths, std::span<OperandSize> operands) {
  if (prefix_lengths && op_info(op).kind == OpKind::kMap)
    for (OperandSize& size : operands) size.length = std::min(size.length, operands[0].length);
  check_rules(op, std::span<const OperandSize>(operands));
}

std::int64_t segment_of(const Segdes& s, std::int64_t position) {
  if (s.is_regular()) return s.regular_length() == 0 ? 0 : position / s.regular_length();
  const std::int64_t* offsets = s.offsets();
  return std::upper_bound(offsets, offsets + s.segments() + 1, position) - offsets - 1;
}

void index_fault(Op op, std::int64_t index, std::int64_t position, std::int64_t segment,
                 std::int64_t length) {
  throw Fault{Fault::Kind::kIndex, "index out of range in " + std::string(op_info(op).text) + ": index " +
                                       std::to_string(index) + " at position " + std::to_string(position) +
                                       ", segment " + std::to_string(segment) + " has " +
                                       std::to_string(length) + (length == 1 ? " element" : " elements")};
}

void fill_repeated(const Vector& repeated, const PrimContext& context, std::int64_t n, std::byte* to) {
  const Vector one = repeated.repeated_element();
  kernel_table(context.isa)
      .dist[width_index(one.storage())](one.raw(), kernels::Segments{nullptr, n}, 0, 1, to);
}

void Elements::write_out(const Vector& repeated, const PrimContext& context) {
  memory_ = context.pool->allocate(repeated.byte_count());
  fill_repeated(repeated, context, length_, memory_.data());
  data_ = memory_.data();
}

Indices::Indices(const Elements& e, const PrimContext& context)
    : data_(e.data()), bytes_(storage_bytes(e.storage())) {
  if (bytes_ != 1) return;
  memory_ = context.pool->allocate(ByteCount::of<std::int32_t>(e.length()));
  kernel_table(context.isa)
      .convert[static_cast<int>(Storage::kI8)][static_cast<int>(Storage::kI32)](e.data(), memory_.data(),
                                                                                e.length());
  data_ = memory_.data();
  bytes_ = sizeof(std::int32_t);
}

}  // namespace nvm::vm
