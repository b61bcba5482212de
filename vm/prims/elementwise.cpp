// Elementwise instructions, RAND excepted. Bytes: every operand once, the result once (and once more for the
// line fill, unless it overwrites a dying operand).
//
// Storage of Int results: comparisons, bitwise operations and SELECT keep to the wider of their operands'
// storages, for their results fit there; arithmetic computes in the run's width. Narrow operands are widened
// a block at a time in the first-level cache. B_TO_I is a view.
//
// TRIED nothing with non-temporal stores: the next instruction usually reads the result.
#include "vm/prims/elementwise.h"

#include <algorithm>
#include <optional>

#include "bytecode/table/op_kind.h"
#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kBlock = 1024;

int index_of(Storage s) { return static_cast<int>(s); }
int scalar_index(const PrimCall& call) { return static_cast<int>(op_info(call.op).scalar); }

struct alignas(64) Room {
  std::byte bytes[kBlock * 8];
};

// An operand on its way to the storage that a kernel wants: as it lies, converted a block at a time, or one
// block that stands for all blocks of a repeated vector.
class Source {
 public:
  Source(const Vector& v, Storage wanted, const PrimContext& context) {
    const kernels::Table& t = kernel_table(context.isa);
    const Storage from = v.is_scalar() && storage_is_int(v.storage()) ? wide_int(context) : v.storage();
    convert_ = from == wanted ? nullptr : t.convert[index_of(from)][index_of(wanted)];
    if (v.is_repeated()) {
      repeat(v, context);
      return;
    }
    elements_.emplace(v, context);
    data_ = elements_->data();
    bytes_ = storage_bytes(from);
  }
  [[nodiscard]] bool blockwise() const { return repeated_ || convert_ != nullptr; }
  const void* at(std::int64_t i, std::int64_t n, std::byte* room) const {
    if (repeated_) return block_.bytes;
    const std::byte* p = data_ + static_cast<std::size_t>(i) * bytes_;
    if (convert_ == nullptr) return p;
    convert_(p, room, n);
    return room;
  }

 private:
  void repeat(const Vector& v, const PrimContext& context) {
    const std::int64_t n = std::min(kBlock, v.length());
    repeated_ = true;
    if (convert_ == nullptr) {
      fill_repeated(v, context, n, block_.bytes);
      return;
    }
    Room stored;
    fill_repeated(v, context, n, stored.bytes);
    convert_(stored.bytes, block_.bytes, n);
  }

  std::optional<Elements> elements_;
  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  kernels::Unary convert_ = nullptr;  // null if it lies as wanted
  bool repeated_ = false;
  Room block_;
};

// step(begin, n, room_a, room_b) over chunks; blockwise if operands are converted.
template <typename F>
void for_blocks(const PrimContext& context, std::int64_t n, bool converts, F step) {
  for_ranges(context, n, [&](std::int64_t begin, std::int64_t end) {
    if (!converts) {
      step(begin, end - begin, nullptr, nullptr);
      return;
    }
    Room a;
    Room b;
    for (std::int64_t i = begin; i < end; i += kBlock) step(i, std::min(kBlock, end - i), a.bytes, b.bytes);
  });
}

void check_equal_lengths(const PrimCall& call, const Vector& a, const Vector& b) {
  if (a.length() != b.length()) [[unlikely]]
    check_shape(call);
}

Vector unboxed(Storage storage, const void* cell) {
  switch (storage) {
    case Storage::kF64: {
      double x;
      std::memcpy(&x, cell, sizeof x);
      return Vector::of_float(x);
    }
    case Storage::kB8: return Vector::of_bool(*static_cast<const std::uint8_t*>(cell) != 0);
    case Storage::kI32: {
      std::int32_t x;
      std::memcpy(&x, cell, sizeof x);
      return Vector::of_int(x);
    }
    default: break;
  }
  std::int64_t x;
  std::memcpy(&x, cell, sizeof x);
  return Vector::of_int(x);
}

// Two scalars, the most frequent case of all: `common` is FLOAT, BOOL or the run's INT then, and the low
// bytes of an unboxed element come first.
void run_scalars(const PrimCall& call, Storage common, Storage result, const Vector& a, const Vector& b) {
  std::int64_t cell = 0;
  kernel_table(call.context.isa)
      .binary_one[scalar_index(call)][index_of(common)](a.data<std::byte>(), b.data<std::byte>(), &cell);
  call.results[0].emplace<Vector>(unboxed(result, &cell));
}

// True if the elements lie as a kernel wants them.
bool lies_as(const Vector& v, Storage wanted) { return v.storage() == wanted && !v.is_repeated(); }

void run_binary(const PrimCall& call, Storage common, Storage result) {
  Vector& a = vector_operand(call, 0);
  Vector& b = vector_operand(call, 1);
  check_equal_lengths(call, a, b);
  if (a.is_scalar()) {
    run_scalars(call, common, result, a, b);
    return;
  }
  const PrimContext& context = call.context;
  const kernels::Table& t = kernel_table(context.isa);
  const kernels::Binary kernel = t.binary[scalar_index(call)][index_of(common)];
  const std::int64_t n = a.length();
  if (n < context.grain && lies_as(a, common) && lies_as(b, common)) {  // the most frequent case of vectors
    const std::byte* from_a = a.raw();
    const std::byte* from_b = b.raw();
    Fresh out(context, result, n, a, b);
    kernel(from_a, from_b, out.data(), n);
    call.results[0] = out.take();
    return;
  }
  const Source sa(a, common, context);
  const Source sb(b, common, context);
  Fresh out(context, result, n, a, b);
  for_blocks(context, n, sa.blockwise() || sb.blockwise(),
             [&](std::int64_t i, std::int64_t m, std::byte* room_a, std::byte* room_b) {
               kernel(sa.at(i, m, room_a), sb.at(i, m, room_b), out.at(i), m);
             });
  call.results[0] = out.take();
}

Storage effective(const Vector& v, const PrimContext& context) {
  return v.is_scalar() ? wide_int(context) : v.storage();
}
Storage wider(const Vector& a, const Vector& b, const PrimContext& context) {
  return std::max(effective(a, context), effective(b, context));
}

[[noreturn]] void divide_fault(const PrimCall& call, std::int64_t position, const Vector& a,
                               const Vector& b) {
  const std::string text(op_info(call.op).text);
  const std::string what = b.int_at(position) == 0 ? "division by zero in " + text
                                                   : "quotient out of range in " + text + ": " +
                                                         std::to_string(a.int_at(position)) + " by -1";
  throw Fault{Fault::Kind::kDivide, what + " at position " + std::to_string(call.context.first + position)};
}

}  // namespace

void int_arithmetic(const PrimCall& call) {
  const Storage wide = wide_int(call.context);
  run_binary(call, wide, wide);
}

void int_closed(const PrimCall& call) {
  const Storage common = wider(vector_operand(call, 0), vector_operand(call, 1), call.context);
  run_binary(call, common, common);
}

void int_compare(const PrimCall& call) {
  run_binary(call, wider(vector_operand(call, 0), vector_operand(call, 1), call.context), Storage::kB8);
}

void float_arithmetic(const PrimCall& call) { run_binary(call, Storage::kF64, Storage::kF64); }
void float_compare(const PrimCall& call) { run_binary(call, Storage::kF64, Storage::kB8); }
void bool_logic(const PrimCall& call) { run_binary(call, Storage::kB8, Storage::kB8); }

void int_divide(const PrimCall& call) {
  const PrimContext& context = call.context;
  Vector& a = vector_operand(call, 0);
  Vector& b = vector_operand(call, 1);
  check_equal_lengths(call, a, b);
  const kernels::Table& t = kernel_table(context.isa);
  const Storage wide = wide_int(context);
  const kernels::Checked kernel = t.checked[scalar_index(call)][index_of(wide)];
  const Source sa(a, wide, context);
  const Source sb(b, wide, context);
  // Never in place: the message needs the operands.
  const std::int64_t n = a.length();
  Fresh out(context, wide, n);
  std::atomic<std::int64_t> first_bad{-1};
  for_blocks(context, n, sa.blockwise() || sb.blockwise(),
             [&](std::int64_t i, std::int64_t m, std::byte* room_a, std::byte* room_b) {
               const std::int64_t bad = kernel(sa.at(i, m, room_a), sb.at(i, m, room_b), out.at(i), m);
               if (bad >= 0) note_first(first_bad, i + bad);
             });
  if (first_bad >= 0) divide_fault(call, first_bad, a, b);
  call.results[0] = out.take();
}

void select(const PrimCall& call) {
  const PrimContext& context = call.context;
  Vector& f = vector_operand(call, 0);
  Vector& a = vector_operand(call, 1);
  Vector& b = vector_operand(call, 2);
  if (f.length() != a.length() || f.length() != b.length()) [[unlikely]]
    check_shape(call);
  const Storage common = storage_is_int(a.storage()) ? wider(a, b, context) : a.storage();
  const kernels::Table& t = kernel_table(context.isa);
  const kernels::Select kernel = t.select[width_index(common)];
  const Elements ef(f, context);
  const Source sa(a, common, context);
  const Source sb(b, common, context);
  Fresh out(context, common, ef.length(), a, b);
  for_blocks(context, ef.length(), sa.blockwise() || sb.blockwise(),
             [&](std::int64_t i, std::int64_t m, std::byte* room_a, std::byte* room_b) {
               kernel(ef.flags() + i, sa.at(i, m, room_a), sb.at(i, m, room_b), out.at(i), m);
             });
  call.results[0] = out.take();
}

namespace {

void run_unary(const PrimCall& call, kernels::Unary kernel, Storage result) {
  Vector& a = vector_operand(call, 0);
  const Elements ea(a, call.context);
  Fresh out(call.context, result, ea.length(), a);
  for_ranges(call.context, ea.length(),
             [&](std::int64_t i, std::int64_t end) { kernel(ea.at(i), out.at(i), end - i); });
  call.results[0] = out.take();
}

}  // namespace

void same_unary(const PrimCall& call) {
  const Vector& a = vector_operand(call, 0);
  const Storage s = storage_is_int(a.storage()) ? effective(a, call.context) : a.storage();
  run_unary(call, kernel_table(call.context.isa).unary[scalar_index(call)][index_of(s)], s);
}

void from_int(const PrimCall& call) {
  const Storage s = effective(vector_operand(call, 0), call.context);
  const Storage result = op_info(call.op).results[0] == 'F' ? Storage::kF64 : Storage::kB8;
  run_unary(call, kernel_table(call.context.isa).unary[scalar_index(call)][index_of(s)], result);
}

void float_to_int(const PrimCall& call) {
  const Storage wide = wide_int(call.context);
  const auto& kernels = kernel_table(call.context.isa).to_int[scalar_index(call)];
  run_unary(call, kernels[wide == Storage::kI32 ? 0 : 1], wide);
}

void bool_to_int(const PrimCall& call) {
  Vector& a = vector_operand(call, 0);
  if (a.is_scalar())
    call.results[0] = Vector::of_int(a.scalar_int());
  else
    call.results[0] = std::move(a).viewed_as(Storage::kI8);
}

namespace {

MapLoop unary_loop(const PrimContext& context, Op op, TypeWord word, Storage from) {
  const OpInfo& info = op_info(op);
  const kernels::Table& t = kernel_table(context.isa);
  const auto scalar = static_cast<std::size_t>(info.scalar);
  const Type to = letter_type(info.results[0], word);
  const Storage wide = wide_int(context);
  MapLoop loop{.operand = from, .result = from};
  if (from == Storage::kB8 && to == Type::kInt) {
    loop.result = Storage::kI8;
  } else if (from == Storage::kF64 && to == Type::kInt) {
    loop.result = wide;
    loop.unary = t.to_int[scalar][wide == Storage::kI32 ? 0 : 1];
  } else {
    if (to == Type::kFloat) loop.result = Storage::kF64;
    if (to == Type::kBool) loop.result = Storage::kB8;
    loop.unary = t.unary[scalar][index_of(from)];
  }
  return loop;
}

}  // namespace

MapLoop map_loop(const PrimContext& context, Op op, TypeWord word, const Storage* operands) {
  const OpInfo& info = op_info(op);
  const kernels::Table& t = kernel_table(context.isa);
  if (info.operands.size() == 1) return unary_loop(context, op, word, operands[0]);
  const bool selects = info.scalar == Scalar::kSelect;
  const Storage a = operands[selects ? 1 : 0];
  const Storage b = operands[selects ? 2 : 1];
  MapLoop loop{.operand = storage_is_int(a) ? std::max(a, b) : a};
  if (selects) {
    loop.select = t.select[width_index(loop.operand)];
    loop.result = loop.operand;
    return loop;
  }
  const bool compares = letter_type(info.results[0], word) == Type::kBool && a != Storage::kB8;
  if (storage_is_int(a) && !compares && !is_bitwise(info.scalar)) loop.operand = wide_int(context);
  loop.result = compares ? Storage::kB8 : loop.operand;
  loop.binary = t.binary[static_cast<std::size_t>(info.scalar)][index_of(loop.operand)];
  return loop;
}

}  // namespace nvm::vm
