// Operations that folds combine with, on words: two results are equal if their words are. Of Terms nothing is
// known, so a rule that holds there gives the same bits for every operation and all elements; of Strings only
// that they are associative. Both are tried on one vector of different elements, the others on all vectors of
// theirs.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "bytecode/table/op_info.h"

namespace nvm::model {

using Word = std::uint64_t;

class Algebra {
 public:
  Algebra(Word identity, std::vector<Word> elements) : identity_(identity), elements_(std::move(elements)) {}
  virtual ~Algebra() = default;
  Algebra(const Algebra&) = delete;
  Algebra& operator=(const Algebra&) = delete;

  [[nodiscard]] virtual Word op(Word a, Word b) const = 0;
  [[nodiscard]] Word identity() const { return identity_; }
  // Empty: elements are symbols.
  [[nodiscard]] const std::vector<Word>& elements() const { return elements_; }

 private:
  Word identity_;
  std::vector<Word> elements_;
};

inline Word symbol(std::size_t i) { return i + 1; }

class Terms final : public Algebra {
 public:
  Terms() : Algebra(0, {}) {}
  [[nodiscard]] Word op(Word a, Word b) const override {
    return known_.try_emplace({a, b}, 1000 + known_.size()).first->second;
  }

 private:
  mutable std::map<std::pair<Word, Word>, Word> known_;
};

// Hexadecimal digits beside each other; no digit: the identity.
class Strings final : public Algebra {
 public:
  Strings() : Algebra(0, {}) {}
  [[nodiscard]] Word op(Word a, Word b) const override {
    Word shifted = a;
    for (Word rest = b; rest != 0; rest >>= 4) shifted <<= 4;
    return shifted | b;
  }
};

class Floats final : public Algebra {
 public:
  explicit Floats(Scalar scalar)
      : Algebra(word(float_identity(scalar)),
                {word(0.0), word(1.0), word(-0.0), word(std::numeric_limits<double>::quiet_NaN()),
                 word(std::numeric_limits<double>::max())}),
        scalar_(scalar) {}
  [[nodiscard]] Word op(Word a, Word b) const override {
    return word(apply(std::bit_cast<double>(a), std::bit_cast<double>(b)));
  }

 private:
  // The sign of a NaN that is made of others is nobody's promise.
  static Word word(double x) {
    return std::bit_cast<Word>(std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x);
  }
  [[nodiscard]] double apply(double a, double b) const {
    switch (scalar_) {
      case Scalar::kAdd: return a + b;
      case Scalar::kMul: return a * b;
      case Scalar::kMax: return a > b ? a : b;
      default: return a < b ? a : b;
    }
  }
  Scalar scalar_;
};

class Ints final : public Algebra {
 public:
  explicit Ints(Scalar scalar)
      : Algebra(static_cast<Word>(int_identity(scalar, IntBits::k64)),
                {0, 1, ~Word{0}, Word{1} << 63U, ~Word{0} >> 1U}),
        scalar_(scalar) {}
  [[nodiscard]] Word op(Word a, Word b) const override {
    const bool less = static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
    switch (scalar_) {
      case Scalar::kAdd: return a + b;
      case Scalar::kMul: return a * b;
      case Scalar::kAnd: return a & b;
      case Scalar::kOr: return a | b;
      case Scalar::kXor: return a ^ b;
      case Scalar::kMax: return less ? b : a;
      default: return less ? a : b;
    }
  }

 private:
  Scalar scalar_;
};

inline std::vector<std::unique_ptr<Algebra>> algebras(bool of_trees) {
  std::vector<std::unique_ptr<Algebra>> all;
  if (of_trees) {
    all.push_back(std::make_unique<Terms>());
    for (const Scalar s : {Scalar::kAdd, Scalar::kMul, Scalar::kMax, Scalar::kMin})
      all.push_back(std::make_unique<Floats>(s));
  } else {
    all.push_back(std::make_unique<Strings>());
    for (const Scalar s :
         {Scalar::kAdd, Scalar::kMul, Scalar::kAnd, Scalar::kOr, Scalar::kXor, Scalar::kMax, Scalar::kMin})
      all.push_back(std::make_unique<Ints>(s));
  }
  return all;
}

}  // namespace nvm::model
