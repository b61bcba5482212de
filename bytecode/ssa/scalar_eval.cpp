#include "bytecode/ssa/scalar_eval.h"

#include <cmath>

#include "bytecode/ssa/constants.h"

namespace nvm::ssa {

namespace {

using U = std::uint64_t;

Element of_int(U v, IntBits bits) { return {wrap_int(static_cast<std::int64_t>(v), bits), 0.0}; }
Element of_bool(bool v) { return {v ? 1 : 0, 0.0}; }
std::optional<Element> of_float(double v) {
  if (std::isnan(v)) return std::nullopt;
  return Element{0, v};
}

// Float to Int: what does not fit is the least INT.
Element to_int(double v, IntBits bits) {
  const double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
  if (v >= -limit && v < limit) return {static_cast<std::int64_t>(v), 0.0};
  return {int_identity(Scalar::kMax, bits), 0.0};
}

std::optional<Element> divide(Scalar scalar, std::int64_t a, std::int64_t b, IntBits bits) {
  if (b == 0 || (b == -1 && a == int_identity(Scalar::kMax, bits))) return std::nullopt;
  return Element{scalar == Scalar::kDiv ? a / b : a % b, 0.0};
}

std::optional<Element> floats(Scalar scalar, double a, double b) {
  switch (scalar) {
    case Scalar::kAdd: return of_float(a + b);
    case Scalar::kSub: return of_float(a - b);
    case Scalar::kMul: return of_float(a * b);
    case Scalar::kDiv: return of_float(a / b);
    case Scalar::kLt: return of_bool(a < b);
    case Scalar::kLe: return of_bool(a <= b);
    case Scalar::kGt: return of_bool(a > b);
    case Scalar::kGe: return of_bool(a >= b);
    case Scalar::kEq: return of_bool(a == b);
    case Scalar::kNe: return of_bool(a != b);
    case Scalar::kMax: return of_float(a > b ? a : b);
    case Scalar::kMin: return of_float(a < b ? a : b);
    default: return std::nullopt;
  }
}

std::optional<Element> ints(Scalar scalar, std::int64_t a, std::int64_t b, IntBits bits) {
  const auto ua = static_cast<U>(a);
  const auto ub = static_cast<U>(b);
  const auto shift = ub & (static_cast<U>(bits) - 1);
  switch (scalar) {
    case Scalar::kAdd: return of_int(ua + ub, bits);
    case Scalar::kSub: return of_int(ua - ub, bits);
    case Scalar::kMul: return of_int(ua * ub, bits);
    case Scalar::kDiv:
    case Scalar::kRem: return divide(scalar, a, b, bits);
    case Scalar::kLt: return of_bool(a < b);
    case Scalar::kLe: return of_bool(a <= b);
    case Scalar::kGt: return of_bool(a > b);
    case Scalar::kGe: return of_bool(a >= b);
    case Scalar::kEq: return of_bool(a == b);
    case Scalar::kNe: return of_bool(a != b);
    case Scalar::kAnd: return Element{a & b, 0.0};
    case Scalar::kOr: return Element{a | b, 0.0};
    case Scalar::kXor: return Element{a ^ b, 0.0};
    case Scalar::kShl: return of_int(ua << shift, bits);
    case Scalar::kShr: return Element{a >> shift, 0.0};
    case Scalar::kMax: return Element{a > b ? a : b, 0.0};
    case Scalar::kMin: return Element{a < b ? a : b, 0.0};
    default: return std::nullopt;
  }
}

std::optional<Element> unary(Scalar scalar, TypeWord word, IntBits bits, const Element& a) {
  switch (scalar) {
    case Scalar::kNot:
      if (word == TypeWord::kBool) return of_bool(a.i == 0);
      return Element{~a.i, 0.0};
    case Scalar::kFloor: return to_int(std::floor(a.f), bits);
    case Scalar::kCeil: return to_int(std::ceil(a.f), bits);
    case Scalar::kTrunc: return to_int(std::trunc(a.f), bits);
    case Scalar::kRound: return to_int(std::trunc(a.f + 0.5), bits);
    case Scalar::kItoF: return Element{0, static_cast<double>(a.i)};
    case Scalar::kItoB: return of_bool(a.i != 0);
    case Scalar::kBtoI: return Element{a.i, 0.0};
    case Scalar::kSqrt: return of_float(std::sqrt(a.f));
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Element> evaluate(Scalar scalar, TypeWord word, IntBits bits,
                                std::span<const Element> operands) {
  if (scalar == Scalar::kSelect) return operands[0].i != 0 ? operands[1] : operands[2];
  if (operands.size() == 1) return unary(scalar, word, bits, operands[0]);
  if (word == TypeWord::kFloat) return floats(scalar, operands[0].f, operands[1].f);
  return ints(scalar, operands[0].i, operands[1].i, bits);
}

}  // namespace nvm::ssa
