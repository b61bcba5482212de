// Instructions on vectors of one length.
#pragma once

#include <array>
#include <cmath>

#include "bytecode/table/op_info.h"
#include "vm/data/value.h"
#include "vm/lib/elements.h"

namespace nvm::lib {

class Emit {
 public:
  // `at_once`: the vectors that it begins with are values of a few elements.
  explicit Emit(const SizeRef& size, bool at_once = false) : size_(size), at_once_(at_once) {}

  // `word` says nothing where the instruction has none.
  template <typename... P>
  [[nodiscard]] Promise op(Scalar op, TypeWord word, const P&... operands) const {
    const std::array<Promise, sizeof...(P)> all{operands...};
    return record(instruction(op, word), all);
  }
  [[nodiscard]] Promise ints(Scalar name, const Promise& a, const Promise& b) const {
    return op(name, TypeWord::kInt, a, b);
  }
  [[nodiscard]] Promise floats(Scalar name, const Promise& a, const Promise& b) const {
    return op(name, TypeWord::kFloat, a, b);
  }
  [[nodiscard]] Promise compare(Scalar relation, Kind kind, const Promise& a, const Promise& b) const {
    return op(relation, word_of(kind), a, b);
  }
  [[nodiscard]] Promise select(Kind kind, const Promise& c, const Promise& a, const Promise& b) const {
    return op(Scalar::kSelect, word_of(kind), c, a, b);
  }
  [[nodiscard]] Promise both(const Promise& a, const Promise& b) const {
    return op(Scalar::kAnd, TypeWord::kBool, a, b);
  }
  [[nodiscard]] Promise either(const Promise& a, const Promise& b) const {
    return op(Scalar::kOr, TypeWord::kBool, a, b);
  }
  [[nodiscard]] Promise negated(const Promise& a) const { return op(Scalar::kNot, TypeWord::kBool, a); }
  [[nodiscard]] Promise of_bools(const Promise& a) const { return op(Scalar::kBtoI, TypeWord::kNone, a); }
  [[nodiscard]] Promise real(const Promise& a) const { return op(Scalar::kItoF, TypeWord::kNone, a); }

  // A number of the program in all elements.
  [[nodiscard]] Promise whole(std::int64_t x) const { return spread(graph().constant(x), TypeWord::kInt); }
  [[nodiscard]] Promise number(double x) const { return spread(graph().constant(x), TypeWord::kFloat); }
  [[nodiscard]] Promise flag(bool x) const { return spread(graph().constant(x), TypeWord::kBool); }
  [[nodiscard]] Promise zero(Kind kind) const { return kind == Kind::kFloat ? number(0) : whole(0); }
  [[nodiscard]] Promise spread(const Promise& single, TypeWord word) const;
  [[nodiscard]] Promise constant_of(const vm::Vector& number) const;
  // A number of the program's input in all elements.
  [[nodiscard]] Promise input(const vm::Vector& number) const;
  [[nodiscard]] const SizeRef& size() const { return size_; }

  [[nodiscard]] static TypeWord word_of(Kind kind) {
    return kind == Kind::kFloat ? TypeWord::kFloat : kind == Kind::kBool ? TypeWord::kBool : TypeWord::kInt;
  }

 private:
  [[nodiscard]] ExpressionGraph& graph() const { return size_->graph(); }
  [[nodiscard]] static const Instruction& instruction(Scalar op, TypeWord word);

  const SizeRef& size_;
  bool at_once_;
};

// The numbers as INT and FLOAT; results as values of their types.
[[nodiscard]] Promise wrapped(const Emit& e, const Promise& values, int bits, char kind);
[[nodiscard]] Promise rounded_to_single(const Emit& e, const Promise& x);
[[nodiscard]] Promise magnitude(const Emit& e, const Promise& x);

}  // namespace nvm::lib
