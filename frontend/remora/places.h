// Where items stand in the sequence of an array's atoms, found from index vectors.
#pragma once

#include "frontend/remora/translator.h"

namespace nvm::remora {

class Places {
 public:
  // `index`: a number for each axis.
  Places(Translator& t, Code index) : t_(t), code_(t.code_), index_(index) {}

  // The item of an array of shape `all` at the index; checked.
  Code item(const Shape& all);
  // The items of the part of shape `part` that begins there, as a sequence; checked.
  Code part(const Shape& all, const Shape& part);

  // Of each axis or digit the product of those behind it.
  static Code weights(Coder& code, Code radixes);
  static Code dot(Coder& code, Code a, Code b);

 private:
  using Prim = frontend::core::Prim;
  Code by_axis(const Shape& all, const Shape& part);
  // With dimensions that are known when it runs.
  Code of_any_rank(Code all, Code part);
  Code start(Code from, Code all, Code part);
  Code inside(Code fine, Code index) {
    return t_.ensure(fine, "bounds", "an index is outside of the array", index);
  }
  // The vector, of as many numbers as there are dimensions.
  Code as_long_as(Code dims, Code v);
  [[nodiscard]] Code at(std::size_t k) {
    return code_.element(index_, code_.integer(static_cast<std::int64_t>(k)));
  }
  Code in_bounds(Code i, Code n) {
    return code_.both(code_.compare(Prim::kGe, i, code_.integer(0)), code_.compare(Prim::kLt, i, n));
  }

  Translator& t_;
  Coder& code_;
  Code index_;
};

[[nodiscard]] bool has_known_rank(const Shape& s);

}  // namespace nvm::remora
