#include "frontend/remora/dimensions.h"

#include <limits>

namespace nvm::remora {

Code Dimensions::number(const Dim& d) {
  Code sum = code_.integer(0);
  bool may_wrap = false;
  for (const auto& [m, c] : d.terms) {
    Code term = code_.integer(c);
    std::int64_t known = c, unknown = 0;
    for (const Var v : m) {
      const Code x = number(v);
      unknown += x.known ? 0 : 1;
      if (__builtin_mul_overflow(known, x.known.value_or(1), &known))
        known = std::numeric_limits<std::int64_t>::max();
      term = code_.times(term, x);
    }
    sum = code_.plus(sum, term);
    may_wrap |= unknown > 1 || known > (unknown == 1 ? kMostMultiple : kMost);
  }
  return may_wrap && !sum.known ? held(sum, approximate(d)) : sum;
}

Code Dimensions::number(Var v) const {
  const auto at = t_.numbers_.find(v);
  if (at == t_.numbers_.end())
    throw Error{"unsupported", t_.here(),
                "the dimension " + t_.program_.variables[v].name + " has no number here"};
  return at->second;
}

Code Dimensions::approximate(const Dim& d) {
  const auto op = [&](Prim prim, Code a, Code b) { return code_.op(prim, Coder::real_type(), {a, b}); };
  const auto real = [&](Code n) { return code_.op(Prim::kFloat, Coder::real_type(), {n}); };
  Code sum = code_.real(0);
  for (const auto& [m, c] : d.terms) {
    Code term = code_.real(static_cast<double>(c));
    for (const Var v : m) term = op(Prim::kMul, term, real(number(v)));
    sum = op(Prim::kAdd, sum, term);
  }
  return sum;
}

Code Dimensions::held(Code n, Code approximately) {
  return t_.ensure(code_.compare(Prim::kLe, approximately, code_.real(kMostProduct)), "stopped",
                   "a product of dimensions is more than memory can hold", n);
}

Code Dimensions::one(Code n) {
  n = t_.ensure(code_.compare(Prim::kGe, n, code_.integer(0)), "negative", "a dimension is negative", n);
  return t_.ensure(code_.compare(Prim::kLe, n, code_.integer(kMost)), "stopped",
                   "a dimension is more than memory can hold", n);
}

Code Dimensions::several(Code numbers) {
  const Code all = code_.each({numbers}, [&](const auto& n) { return one(n[0]); });
  const Code real =
      code_.each({all}, [&](const auto& n) { return code_.op(Prim::kFloat, Coder::real_type(), {n[0]}); });
  return held(all, code_.op(Prim::kProduct, Coder::real_type(), {real}));
}

}  // namespace nvm::remora
