// Vectors composed lazily, without types: what array.hpp is made of.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "vm/lib/nvm.hpp"

namespace nvm::lib {

// Where vectors are recorded and computed, with one set of options; keeps the programs and kernels that were
// made. A thread has one of its own, with default options, unless a Scope names another. Sessions are
// independent. One is used by one call at a time: a second thread, or a callback of the first, gets a failure
// that says "busy". It lives as long as its last vector; what its options point to must live as long.
class ArraySession {
 public:
  struct Core;
  explicit ArraySession(const Options& options = {}) noexcept;

  // While it lives the calling thread makes its vectors in this session. Scopes of a thread are nested.
  class Scope {
   public:
    explicit Scope(const ArraySession& session);  // throws std::bad_alloc where there is no session
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    std::shared_ptr<Core> before_;
  };

 private:
  std::shared_ptr<Core> core_;
};

// A vector that is there or will be computed when somebody looks, or a number, which takes the length of what
// stands beside it. A handle that keeps what it needs; any thread may copy and destroy it at any time.
class Lazy {
 public:
  struct Impl;
  explicit Lazy(std::shared_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
  Lazy(const Lazy&) = default;  // there is none without a vector: to move is to copy
  Lazy& operator=(const Lazy&) = default;
  ~Lazy() = default;
  [[nodiscard]] Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

// A vector of INT, FLOAT or BOOL, in the thread's session.
[[nodiscard]] Result<Lazy> lazy_vector(const Value& elements);
// A number, of no session: an input of what is computed, or one that stands in the host's program, for which
// it is compiled.
[[nodiscard]] Result<Lazy> lazy_number(const Value& element);
[[nodiscard]] Result<Lazy> lazy_constant(const Value& element);
// 0, 1, ..., n - 1, in the thread's session; as many as another has.
[[nodiscard]] Result<Lazy> lazy_count(std::int64_t n);
[[nodiscard]] Result<Lazy> lazy_positions(const Lazy& vector);
[[nodiscard]] Result<Lazy> lazy_length(const Lazy& vector);  // a number

// What follows is recorded in the session of the first operand that has one; what belongs to another session
// is computed there first. Instructions are those of VCODE with their types, "+ INT"; others, and operands of
// other types, are refused. Lengths that differ are refused, now or when somebody looks.

// Elementwise.
[[nodiscard]] Result<Lazy> lazy_map(std::string_view instruction, std::span<const Lazy> operands);
// The number in as many elements as the first of the others has that is a vector; a vector as it is.
[[nodiscard]] Result<Lazy> lazy_spread(const Lazy& number, std::span<const Lazy> others);
// A reduction, which gives a number, or a scan: "+_REDUCE INT".
[[nodiscard]] Result<Lazy> lazy_fold(std::string_view instruction, const Lazy& elements);
// The elements whose flags are set; those at each index, where flags, if there are any, are set, else zeros.
[[nodiscard]] Result<Lazy> lazy_pack(const Lazy& elements, const Lazy& flags);
[[nodiscard]] Result<Lazy> lazy_gather(const Lazy& elements, const Lazy& index, const Lazy* flags = nullptr);

// Lists: consecutive elements, as many as the lengths say. Lengths whose sum is not the number of elements
// fail when somebody looks. A reduction gives one for each list, a scan one for each element.
[[nodiscard]] Result<Lazy> lazy_fold(std::string_view instruction, const Lazy& elements, const Lazy& lengths);
// For each element the value of its list; for each element its place in its list.
[[nodiscard]] Result<Lazy> lazy_distributed(const Lazy& values, const Lazy& lengths);
[[nodiscard]] Result<Lazy> lazy_places(const Lazy& lengths);
// The elements whose flags are set, and how many there are in each list.
struct LazyLists {
  Lazy elements, lengths;
};
[[nodiscard]] Result<LazyLists> lazy_pack(const Lazy& elements, const Lazy& flags, const Lazy& lengths);
// The elements in order; of each list if there are lengths.
[[nodiscard]] Result<Lazy> lazy_sorted(const Lazy& elements, const Lazy* lengths);

// Computes them, those of a session together. What fails does so each time it is asked for; the others stay
// good.
[[nodiscard]] Result<bool> lazy_evaluate(std::span<const Lazy> wanted);
[[nodiscard]] Result<Value> lazy_value(const Lazy& vector);
[[nodiscard]] Result<std::int64_t> lazy_size(const Lazy& vector);  // computes no elements
[[nodiscard]] bool lazy_is_evaluated(const Lazy& vector);          // false, too, while its session is busy
[[nodiscard]] bool lazy_is_number(const Lazy& vector);

}  // namespace nvm::lib
