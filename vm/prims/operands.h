// What every primitive does with its operands and results.
#pragma once

#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <string>

#include "vm/prims/kernels/kernels.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// The kernels of an instruction set that this machine has; made on first use.
[[nodiscard]] const kernels::Table& make_kernel_table(Isa isa);
extern constinit std::atomic<const kernels::Table*> g_kernel_tables[3];
[[nodiscard]] inline const kernels::Table& kernel_table(Isa isa) {
  const auto* t = g_kernel_tables[static_cast<int>(isa)].load(std::memory_order_acquire);
  return t != nullptr ? *t : make_kernel_table(isa);
}

inline Vector& vector_operand(const PrimCall& call, int i) {
  auto* v = std::get_if<Vector>(&call.operands[i]);
  NVM_CHECK(v != nullptr, "the verifier admits only a vector here");
  return *v;
}
inline const Segdes& segdes_operand(const PrimCall& call, int i) {
  const auto* s = std::get_if<Segdes>(&call.operands[i]);
  NVM_CHECK(s != nullptr, "the verifier admits only a descriptor here");
  return *s;
}

// The widest Int storage of the run.
inline Storage wide_int(const PrimContext& context) {
  return context.int_bits == IntBits::k32 ? Storage::kI32 : Storage::kI64;
}

inline kernels::Segments kernel_segments(const Segdes& s) {
  if (s.is_regular()) return {nullptr, s.regular_length()};
  return {s.offsets(), 0};
}

// 0, 1, 2 for elements of 1, 4, 8 bytes.
inline int width_index(Storage s) { return storage_bytes(s) == 1 ? 0 : storage_bytes(s) == 4 ? 1 : 2; }

// The elements of a vector as the kernels want them: a scalar lies in a cell of its own, an Int scalar as the
// run's widest storage; a repeated vector is written out. Neither copied nor moved, and valid while the
// vector is. `narrow`: an Int scalar that fits 32 bits is stored so, and Ints without elements in 8 bits,
// lest they widen what they come to. Without elements a vector may say any width: here none wider than the
// run's.
class Elements {
 public:
  Elements(const Vector& v, const PrimContext& context, bool narrow = false)
      : storage_(v.storage()), length_(v.length()) {
    if (length_ == 0 && storage_is_int(storage_)) storage_ = narrow ? Storage::kI8 : wide_int(context);
    if (!v.is_scalar()) {
      if (v.is_repeated()) [[unlikely]]
        write_out(v, context);
      else
        data_ = v.raw();
      return;
    }
    data_ = reinterpret_cast<const std::byte*>(&cell_);
    if (storage_ == Storage::kF64) {
      const double x = v.scalar_float();
      std::memcpy(&cell_, &x, sizeof x);
    } else {
      cell_ = v.scalar_int();  // the low bytes come first: right for every narrower storage
      if (storage_ != Storage::kB8)
        storage_ = narrow && cell_ == static_cast<std::int32_t>(cell_) ? Storage::kI32 : wide_int(context);
    }
  }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;

  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] Storage storage() const { return storage_; }
  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] const std::byte* at(std::int64_t i) const {
    return data_ + static_cast<std::size_t>(i) * storage_bytes(storage_);
  }
  [[nodiscard]] const std::uint8_t* flags() const { return reinterpret_cast<const std::uint8_t*>(data_); }
  [[nodiscard]] std::int64_t int_at(std::int64_t i) const {
    switch (storage_) {
      case Storage::kI8: return reinterpret_cast<const std::int8_t*>(data_)[i];
      case Storage::kI32: return reinterpret_cast<const std::int32_t*>(data_)[i];
      default: return reinterpret_cast<const std::int64_t*>(data_)[i];
    }
  }

 private:
  void write_out(const Vector& repeated, const PrimContext& context);

  const std::byte* data_ = nullptr;
  Storage storage_;
  std::int64_t length_;
  std::int64_t cell_ = 0;
  BufferRef memory_;  // of a repeated vector
};
static_assert(std::endian::native == std::endian::little);

// n copies of the element of a repeated vector to `to`.
void fill_repeated(const Vector& repeated, const PrimContext& context, std::int64_t n, std::byte* to);

// A result that is being written; unboxed at the end if it has one element.
class Fresh {
 public:
  Fresh(const PrimContext& context, Storage storage, std::int64_t length)
      : Fresh(context, storage, length, wide_int(context)) {}
  // Takes over the memory of `candidate` if nobody else sees it and its elements are as wide. The operand's
  // elements stay readable until they are overwritten.
  Fresh(const PrimContext& context, Storage storage, std::int64_t length, Vector& candidate)
      : Fresh(context, storage, length, candidate, candidate) {}
  Fresh(const PrimContext& context, Storage storage, std::int64_t length, Vector& first, Vector& second)
      : storage_(storage),
        length_(length),
        v_(reusable(first)    ? Vector(storage, length, first.take_buffer())
           : reusable(second) ? Vector(storage, length, second.take_buffer())
                              : make(context, storage, length)),
        data_(place()) {
    check_width(wide_int(context));
  }
  // Positions, which are 64 bits wide however wide INT is.
  static Fresh of_positions(const PrimContext& context, std::int64_t length) {
    return {context, Storage::kI64, length, Storage::kI64};
  }
  Fresh(const Fresh&) = delete;
  Fresh& operator=(const Fresh&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::byte* at(std::int64_t i) const {
    return data_ + static_cast<std::size_t>(i) * storage_bytes(storage_);
  }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(length_) * storage_bytes(storage_);
  }
  [[nodiscard]] Vector take() {
    if (length_ > 1) return std::move(v_);
    if (length_ == 0) return Vector(storage_, 0, BufferRef());
    switch (storage_) {
      case Storage::kI8: return Vector::of_int(cell<std::int8_t>());
      case Storage::kI32: return Vector::of_int(cell<std::int32_t>());
      case Storage::kI64: return Vector::of_int(cell_);
      case Storage::kB8: return Vector::of_bool(cell<std::uint8_t>() != 0);
      case Storage::kF64: break;
    }
    return Vector::of_float(cell<double>());
  }

 private:
  Fresh(const PrimContext& context, Storage storage, std::int64_t length, Storage widest)
      : storage_(storage), length_(length), v_(make(context, storage, length)), data_(place()) {
    check_width(widest);
  }
  // Readers know how wide INT is at most, and do not ask each vector. One element is no vector, none has no
  // width.
  void check_width(Storage widest) const {
    NVM_CHECK(length_ <= 1 || storage_ != Storage::kI64 || widest == Storage::kI64,
              "a vector of INT is no wider than INT");
  }
  [[nodiscard]] bool reusable(const Vector& v) const {
    return v.length() == length_ && storage_bytes(v.storage()) == storage_bytes(storage_) && length_ > 1 &&
           v.unique();
  }
  template <typename T>
  [[nodiscard]] T cell() const {
    T x;
    std::memcpy(&x, &cell_, sizeof x);
    return x;
  }

  // v_ is initialised where it lies: moving a vector just made stalls on the stores that made it.
  static Vector make(const PrimContext& context, Storage storage, std::int64_t length) {
    return length > 1 ? context.pool->vector(storage, length) : Vector();
  }
  [[nodiscard]] std::byte* place() {
    return length_ > 1 ? v_.buffer().data() : reinterpret_cast<std::byte*>(&cell_);
  }

  Storage storage_;
  std::int64_t length_;
  std::int64_t cell_ = 0;
  Vector v_;
  std::byte* data_;
};

// Index operands for the kernels: i32 or i64 elements; narrower ones are widened into memory of their own.
class Indices {
 public:
  Indices(const Elements& e, const PrimContext& context);
  [[nodiscard]] const std::byte* at(std::int64_t i) const {
    return data_ + static_cast<std::size_t>(i) * bytes_;
  }
  [[nodiscard]] int kind() const { return bytes_ == 4 ? 0 : 1; }  // as the kernels count
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const {
    return bytes_ == 4 ? reinterpret_cast<const std::int32_t*>(data_)[i]
                       : reinterpret_cast<const std::int64_t*>(data_)[i];
  }

 private:
  const std::byte* data_;
  std::size_t bytes_;
  BufferRef memory_;
};

// How long the segments of a descriptor are, as the kernels want it. Valid while the descriptor is.
class LengthsOf {
 public:
  LengthsOf(const Segdes& s, const PrimContext& context) {
    if (s.is_regular()) {
      view_.length = s.regular_length();
      return;
    }
    elements_.emplace(s.lengths(*context.pool), context);
    indices_.emplace(*elements_, context);
    view_ = {indices_->at(0), indices_->kind() == 0, 0};
  }
  [[nodiscard]] const kernels::SegmentLengths& view() const { return view_; }

 private:
  std::optional<Elements> elements_;
  std::optional<Indices> indices_;
  kernels::SegmentLengths view_;
};

// Does a source descriptor of one segment go with any destination descriptor? The legacy interpreter takes
// the destination as one segment then, and programs rely on it.
[[nodiscard]] inline bool takes_any_destination(Op op) { return op == Op::kBpermute || op == Op::kDpermute; }

// Throws unless the operands' lengths agree as the table's shape column says.
void check_shape(const PrimCall& call);

// The same of operands that are not at hand: how long a vector is; of a descriptor how many segments and
// elements.
struct OperandSize {
  std::int64_t length, total;
};
void check_sizes(Op op, bool prefix_lengths, std::span<OperandSize> operands);

// The segment that element `position` of a described vector lies in.
[[nodiscard]] std::int64_t segment_of(const Segdes& s, std::int64_t position);

// `index` stands at `position` of the index operand and addresses segment `segment` of `length` elements.
[[noreturn]] void index_fault(Op op, std::int64_t index, std::int64_t position, std::int64_t segment,
                              std::int64_t length);

}  // namespace nvm::vm
