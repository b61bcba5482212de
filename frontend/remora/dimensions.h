// Dimensions as numbers of the run. Those that the run finds are at most kMost, so that sums of a few times
// each have 64 bits; products are checked.
#pragma once

#include "frontend/remora/translator.h"

namespace nvm::remora {

class Dimensions {
 public:
  explicit Dimensions(Translator& t) : t_(t), code_(t.code_) {}

  Code number(const Dim& d);
  // What becomes a dimension, or several in a sequence, checked.
  Code one(Code n);
  Code several(Code numbers);

 private:
  using Prim = frontend::core::Prim;
  static constexpr std::int64_t kMost = std::int64_t{1} << 48, kMostMultiple = 16;
  static constexpr double kMostProduct = 0x1p53;

  [[nodiscard]] Code number(Var v) const;
  Code approximate(const Dim& d);  // in floats, which do not wrap
  // The number, or numbers whose product is this.
  Code held(Code n, Code approximately);

  Translator& t_;
  Coder& code_;
};

}  // namespace nvm::remora
