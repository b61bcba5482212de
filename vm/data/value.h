// A stack entry at run time: a vector, a segment descriptor, a pair, or a vector that is still to be
// computed. Values are cheap to copy (a reference count) and immutable once shared; a primitive may overwrite
// an operand that it received by move and that is unique().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bytecode/base/check.h"
#include "bytecode/base/extent.h"
#include "bytecode/table/types.h"
#include "vm/data/buffer.h"

namespace nvm::vm {

class Pool;

// A vector of n elements of one type. A vector of length 1 is always unboxed (no buffer): its element stands
// in `scalar` (Int sign-extended, Bool 0/1) or `real`.
class Vector {
 public:
  Vector() = default;
  Vector(const Vector&) = default;
  Vector& operator=(const Vector&) = default;
  // What was moved from is empty: it never looks like a vector of repeated elements.
  Vector(Vector&& o) noexcept
      : storage_(o.storage_),
        length_(std::exchange(o.length_, 0)),
        scalar_(o.scalar_),
        real_(o.real_),
        buffer_(std::move(o.buffer_)) {}
  Vector& operator=(Vector&& o) noexcept {
    storage_ = o.storage_;
    length_ = std::exchange(o.length_, 0);
    scalar_ = o.scalar_;
    real_ = o.real_;
    buffer_ = std::move(o.buffer_);
    return *this;
  }
  ~Vector() = default;
  static Vector of_int(std::int64_t v, Storage storage = Storage::kI64) { return Vector(storage, v); }
  static Vector of_bool(bool v) { return Vector(Storage::kB8, v ? 1 : 0); }
  static Vector of_float(double v) {
    Vector x(Storage::kF64, 0);
    x.real_ = v;
    return x;
  }
  // `length` != 1 elements in `buffer`, starting `offset` elements in.
  Vector(Storage storage, std::int64_t length, BufferRef buffer, std::int64_t offset = 0)
      : storage_(storage), length_(length), scalar_(offset), buffer_(std::move(buffer)) {
    NVM_CHECK(length != 1 && is_length(length), "a vector of length one is unboxed, of no length is none");
  }

  // `length` > 1 times the element of `scalar`, without memory. Only primitives of kind kMap and RAND read
  // such a vector; whoever makes one sees to that.
  static Vector repeated(const Vector& scalar, std::int64_t length) {
    NVM_CHECK(scalar.length_ == 1 && length > 1 && is_length(length), "one element is repeated");
    Vector v = scalar;
    v.length_ = length;
    return v;
  }
  [[nodiscard]] bool is_repeated() const { return length_ > 1 && !buffer_; }
  // The one element of a repeated vector, unboxed.
  [[nodiscard]] Vector repeated_element() const {
    NVM_CHECK(is_repeated(), "a repeated vector was expected");
    Vector v = *this;
    v.length_ = 1;
    return v;
  }

  [[nodiscard]] Storage storage() const { return storage_; }
  [[nodiscard]] Type type() const {
    return storage_ == Storage::kF64 ? Type::kFloat : storage_ == Storage::kB8 ? Type::kBool : Type::kInt;
  }
  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] bool is_scalar() const { return length_ == 1; }
  // The one element of a vector of length 1.
  [[nodiscard]] std::int64_t scalar_int() const { return scalar_; }
  [[nodiscard]] bool scalar_bool() const { return scalar_ != 0; }
  [[nodiscard]] double scalar_float() const { return real_; }
  // Elements in memory; for a scalar, the address of the unboxed element as 8 bytes (valid while *this is).
  template <typename T>
  [[nodiscard]] const T* data() const {
    if (length_ == 1)
      return reinterpret_cast<const T*>(storage_ == Storage::kF64 ? static_cast<const void*>(&real_)
                                                                  : &scalar_);
    if (!buffer_) return nullptr;  // empty
    return reinterpret_cast<const T*>(buffer_.data()) + scalar_;
  }
  // The same without a type.
  [[nodiscard]] const std::byte* raw() const {
    if (length_ == 1) return data<std::byte>();
    if (!buffer_) return nullptr;
    return buffer_.data() + static_cast<std::size_t>(scalar_) * storage_bytes(storage_);
  }
  // Where that is, or will be if the elements stand on a device only; null without a buffer.
  [[nodiscard]] std::byte* place() const {
    if (!buffer_) return nullptr;
    return buffer_.get()->bytes + static_cast<std::size_t>(scalar_) * storage_bytes(storage_);
  }
  // For the maker of a fresh or unique vector only.
  template <typename T>
  [[nodiscard]] T* mutable_data() {
    if (buffer_ && buffer_.get()->remote.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      drop_remote(*buffer_.get());
    return const_cast<T*>(static_cast<const Vector*>(this)->data<T>());
  }
  // True if this is the only reference to the whole buffer, the memory is a pool's and on the host alone, and
  // nothing is kept of the elements, so that it may be overwritten.
  [[nodiscard]] bool unique() const {
    return length_ != 1 && scalar_ == 0 && buffer_.unique() && buffer_.get()->pool != nullptr &&
           buffer_.get()->remote.load(std::memory_order_relaxed) == nullptr &&
           std::atomic_ref(buffer_.get()->user).load(std::memory_order_relaxed) == nullptr;
  }
  [[nodiscard]] const BufferRef& buffer() const { return buffer_; }
  // Leaves an empty vector; whoever takes the memory of a unique one may overwrite it.
  [[nodiscard]] BufferRef take_buffer() {
    length_ = 0;
    if (buffer_) buffer_.get()->run = 0;
    return std::move(buffer_);
  }
  // The same elements seen as another storage of the same width, without a pass.
  [[nodiscard]] Vector viewed_as(Storage storage) && {
    NVM_CHECK(storage_bytes(storage) == storage_bytes(storage_), "a view keeps the width");
    Vector v = std::move(*this);
    v.storage_ = storage;
    return v;
  }
  // n elements from number `begin` on, begin + n <= length(), in the same memory.
  [[nodiscard]] Vector part(std::int64_t begin, std::int64_t n) const;
  [[nodiscard]] Vector first(std::int64_t n) const { return part(0, n); }
  // Is this an INT vector with memory that is known to be x, x + 1, ...? Then x, else nothing. For its maker
  // to note: note_run().
  [[nodiscard]] std::optional<std::int64_t> run_from() const {
    const Buffer* b = buffer_.get();
    if (b == nullptr || !storage_is_int(storage_) || scalar_ + length_ > std::int64_t{b->run})
      return std::nullopt;
    return b->run_first + scalar_;
  }
  void note_run(std::int64_t from) {
    if (!buffer_) return;
    Buffer& b = *buffer_.get();
    b.run_first = static_cast<std::int32_t>(from);
    b.run = b.run_first == from && length_ <= UINT32_MAX ? static_cast<std::uint32_t>(length_) : 0;
  }
  // One element, 0 <= i < length(); for text, tests and other slow paths.
  [[nodiscard]] std::int64_t int_at(std::int64_t i) const;
  [[nodiscard]] bool bool_at(std::int64_t i) const {
    return !buffer_ ? scalar_ != 0 : data<std::uint8_t>()[i] != 0;
  }
  [[nodiscard]] double float_at(std::int64_t i) const { return !buffer_ ? real_ : data<double>()[i]; }
  [[nodiscard]] ByteCount byte_count() const { return ByteCount::of(length_, storage_bytes(storage_)); }
  [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(byte_count().get()); }

 private:
  Vector(Storage storage, std::int64_t scalar) : storage_(storage), length_(1), scalar_(scalar) {}

  Storage storage_ = Storage::kI64;
  std::int64_t length_ = 0;
  std::int64_t scalar_ = 0;  // no buffer: the element (Int, Bool); else the offset into the buffer
  double real_ = 0.0;        // no buffer and kF64: the element
  BufferRef buffer_;
};

// Vectors with these elements. `storage` must hold every value.
[[nodiscard]] Vector int_vector(Pool& pool, std::span<const std::int64_t> elements,
                                Storage storage = Storage::kI64);
[[nodiscard]] Vector float_vector(Pool& pool, std::span<const double> elements);
[[nodiscard]] Vector bool_vector(Pool& pool, std::span<const bool> elements);

// Arrays derived from irregular lengths, shared between the descriptors that have them. Made on first use,
// under a lock; immutable afterwards.
struct SegdesArrays;

// A segment descriptor: n lengths, each >= 0, which together are a length (extent.h): whoever makes one
// throws Fault (kSegdes) otherwise. Regular ones (all lengths equal, which includes one segment and none) are
// two numbers and own no arrays.
class Segdes {
 public:
  Segdes() = default;  // no segments
  // What a reading that failed gives: no segments, but printed as the empty vector that the legacy system has
  // there.
  static Segdes unread() {
    Segdes s;
    s.length_ = -1;
    return s;
  }
  static Segdes regular(std::int64_t segments, std::int64_t length) {
    Segdes s;
    s.segments_ = segments;
    s.length_ = length;
    s.total_ = length_of_all(segments, length);
    if (s.total_ == kTooLong) [[unlikely]]
      refuse(segments, length);
    return s;
  }
  // From lengths that nobody has checked.
  static Segdes checked(Vector lengths);
  // From lengths that the caller has checked to be >= 0, `total` their sum. Becomes regular if all are equal.
  static Segdes from_lengths(Vector lengths, std::int64_t total);
  // The same if it is known whether all are equal.
  static Segdes from_lengths(Vector lengths, std::int64_t total, bool equal);

  // The same of at least one length, with its offsets; neither is looked at, and both may stand on a device.
  static Segdes from_offsets(Vector lengths, BufferRef offsets, std::int64_t total);

  [[nodiscard]] std::int64_t segments() const { return segments_; }
  [[nodiscard]] std::int64_t total() const { return total_; }
  [[nodiscard]] bool is_regular() const { return arrays_ == nullptr; }
  [[nodiscard]] bool is_unread() const { return length_ < 0; }
  [[nodiscard]] std::int64_t regular_length() const { return length_ < 0 ? 0 : length_; }  // if is_regular()
  // As an Int vector; made in `pool` if regular.
  [[nodiscard]] Vector lengths(Pool& pool) const;
  // Derived on demand and cached (irregular only): offsets has segments()+1 entries, the last is total().
  [[nodiscard]] const std::int64_t* offsets() const;
  // Their memory, not fetched if only a device has them.
  [[nodiscard]] const BufferRef& offsets_buffer() const;
  [[nodiscard]] std::int64_t offset(std::int64_t k) const {
    return is_regular() ? k * length_ : offsets()[k];
  }
  [[nodiscard]] std::int64_t length(std::int64_t k) const {
    return is_regular() ? length_ : offsets()[k + 1] - offsets()[k];
  }
  // The same without making offsets, for a few lengths only.
  [[nodiscard]] std::int64_t length_at(std::int64_t k) const;
  // The same object, without looking at lengths: equal numbers and shared arrays.
  [[nodiscard]] bool identical(const Segdes& o) const {
    return segments_ == o.segments_ && total_ == o.total_ && length_ == o.length_ && arrays_ == o.arrays_;
  }
  // Same lengths? Cheap if both are regular or share their arrays; else compares.
  friend bool operator==(const Segdes& a, const Segdes& b);

 private:
  [[noreturn]] static void refuse(std::int64_t segments, std::int64_t length);

  std::int64_t segments_ = 0;
  std::int64_t total_ = 0;
  std::int64_t length_ = 0;
  std::shared_ptr<SegdesArrays> arrays_;
};

struct PairValue;
// A value that a recorder has promised and not yet computed (vm/trace). Opaque here.
class Deferred;
// A vector that is known by what it is made of, and not written (vm/data/view.h).
struct View;
// A vector of which each of several ranks has a part (vm/spmd). Opaque here.
struct Distributed;

// One entry of the operand stack or a frame slot; empty if it has been moved away.
using Value =
    std::variant<std::monostate, Vector, Segdes, std::shared_ptr<const PairValue>, std::shared_ptr<Deferred>,
                 std::shared_ptr<const View>, std::shared_ptr<const Distributed>>;

// Pairs nest at most so deep: what goes through all parts of a value, and lets go of them, is recursive.
inline constexpr int kDeepestPair = 1000;

struct PairValue {
  Value left, right;
  int depth = 1;  // of pairs within pairs, this one included
};

// The only way to make a pair. Throws Fault (kRecursion) if it would nest too deeply.
[[nodiscard]] Value make_pair_value(Value left, Value right);

// What a run-time fault tells: caught at the run's boundary and turned into a located message.
struct Fault {
  enum class Kind : std::uint8_t {
    kLength,
    kIndex,
    kSegdes,
    kDivide,
    kRandom,
    kMemory,
    kRecursion,
    kDenied,
    kIo,
    kInterrupted,
    kType,
    kTime,
    kDevice  // a GPU failed that had elements of its own
  };
  Kind kind = Kind::kLength;
  std::string message;  // without position; the interpreter adds function, instruction and position
};

}  // namespace nvm::vm
