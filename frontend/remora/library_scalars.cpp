// The library on atoms.
#include <limits>
#include <map>

#include "frontend/remora/library_call.h"

namespace nvm::remora {

namespace core = frontend::core;
using core::Prim;

namespace {

using L = Library;

struct Plain {
  Prim prim;
  AtomKind result;
};

// One primitive each.
const std::map<Library, Plain>& plain() {
  using enum AtomKind;
  static const std::map<Library, Plain> all = {
      {L::kAdd, {Prim::kAdd, kInt}},
      {L::kSub, {Prim::kSub, kInt}},
      {L::kMul, {Prim::kMul, kInt}},
      {L::kBitAnd, {Prim::kAnd, kInt}},
      {L::kBitOr, {Prim::kOr, kInt}},
      {L::kBitXor, {Prim::kXor, kInt}},
      {L::kEq, {Prim::kEq, kBool}},
      {L::kNe, {Prim::kNe, kBool}},
      {L::kLt, {Prim::kLt, kBool}},
      {L::kLe, {Prim::kLe, kBool}},
      {L::kGt, {Prim::kGt, kBool}},
      {L::kGe, {Prim::kGe, kBool}},
      {L::kFEq, {Prim::kEq, kBool}},
      {L::kFLt, {Prim::kLt, kBool}},
      {L::kFLe, {Prim::kLe, kBool}},
      {L::kFGt, {Prim::kGt, kBool}},
      {L::kFGe, {Prim::kGe, kBool}},
      {L::kCharEq, {Prim::kEq, kBool}},
      {L::kCharLt, {Prim::kLt, kBool}},
      {L::kFAdd, {Prim::kAdd, kFloat}},
      {L::kFSub, {Prim::kSub, kFloat}},
      {L::kFMul, {Prim::kMul, kFloat}},
      {L::kFQuotient, {Prim::kDivInternal, kFloat}},
      {L::kSqrt, {Prim::kPrimSqrt, kFloat}},
      {L::kLn, {Prim::kPrimLn, kFloat}},
      {L::kExp, {Prim::kExp, kFloat}},
      {L::kSin, {Prim::kSin, kFloat}},
      {L::kCos, {Prim::kCos, kFloat}},
      {L::kTan, {Prim::kTan, kFloat}},
      {L::kArcsin, {Prim::kAsin, kFloat}},
      {L::kArccos, {Prim::kAcos, kFloat}},
      {L::kArctan, {Prim::kAtan, kFloat}},
      {L::kIntToFloat, {Prim::kFloat, kFloat}},
      {L::kBoolToInt, {Prim::kBtoi, kInt}},
      {L::kAnd, {Prim::kAnd, kBool}},
      {L::kOr, {Prim::kOr, kBool}},
      {L::kXor, {Prim::kXor, kBool}},
      {L::kNot, {Prim::kNot, kBool}},
  };
  return all;
}

const core::Type* type_of(AtomKind kind) {
  if (kind == AtomKind::kFloat) return Coder::real_type();
  return kind == AtomKind::kBool ? Coder::boolean_type() : Coder::integer_type();
}

}  // namespace

bool LibraryCall::of_atoms(Code& value) {
  if (const auto at = plain().find(id_); at != plain().end()) {
    const core::Type* type = type_of(at->second.result);
    value = arguments_.size() == 1 ? code_.op(at->second.prim, type, {code(0)})
                                   : code_.op(at->second.prim, type, {code(0), code(1)});
    return true;
  }
  const auto zero = [&] { return code_.integer(0); };
  const auto inverse = [&](Code flag) { return code_.op(Prim::kNot, Coder::boolean_type(), {flag}); };
  switch (id_) {
    case L::kMin:
    case L::kFMin: value = code_.select(less(code(1), code(0)), code(1), code(0)); return true;
    case L::kMax:
    case L::kFMax: value = code_.select(less(code(0), code(1)), code(1), code(0)); return true;
    case L::kNeg: value = code_.minus(zero(), code(0)); return true;
    case L::kAbs:
      value = code_.select(less(code(0), zero()), code_.minus(zero(), code(0)), code(0));
      return true;
    case L::kSign:
      value = code_.minus(one_if(less(zero(), code(0))), one_if(less(code(0), zero())));
      return true;
    case L::kBitNot: value = code_.minus(code_.integer(-1), code(0)); return true;
    case L::kShl:
    case L::kShr: {
      const Code by = code_.op(Prim::kAnd, Coder::integer_type(), {code(1), code_.integer(63)});
      value = code_.op(id_ == L::kShl ? Prim::kLshift : Prim::kRshift, Coder::integer_type(), {code(0), by});
      return true;
    }
    case L::kFNe: value = inverse(code_.compare(Prim::kEq, code(0), code(1))); return true;
    case L::kBoolEq:
      value = inverse(code_.op(Prim::kXor, Coder::boolean_type(), {code(0), code(1)}));
      return true;
    case L::kFNeg: value = code_.op(Prim::kMul, Coder::real_type(), {code(0), code_.real(-1)}); return true;
    case L::kFAbs: {
      const Code none = code_.real(0);
      value = code_.select(less(none, code(0)), code(0),
                           code_.op(Prim::kSub, Coder::real_type(), {none, code(0)}));
      return true;
    }
    case L::kFPower: value = float_power(code(0), code(1)); return true;
    case L::kIntToBool: value = code_.compare(Prim::kNe, code(0), zero()); return true;
    case L::kCharToInt: value = code(0); return true;
    default: return false;
  }
}

bool LibraryCall::checked(Code& value) {
  switch (id_) {
    case L::kQuotient:
    case L::kRemainder:
    case L::kDiv:
    case L::kMod: value = quotient(code(0), code(1)); return true;
    case L::kPower: value = power(code(0), code(1)); return true;
    case L::kFloor:
    case L::kCeiling:
    case L::kTruncate:
    case L::kFloatToInt:
    case L::kRound: value = rounded(); return true;
    case L::kIntToChar: {
      const Code c = code(0);
      const Code point = in_bounds(c, code_.integer(0x110000));
      const Code half =
          code_.both(code_.compare(Prim::kGe, c, code_.integer(0xD800)), less(c, code_.integer(0xE000)));
      const Code fine = code_.both(point, code_.op(Prim::kNot, Coder::boolean_type(), {half}));
      value = t_.ensure(fine, "domain", "this is no code of a character", c);
      return true;
    }
    default: return false;
  }
}

// The least number divided by -1 is no INT; it wraps.
Code LibraryCall::quotient(Code p, Code q) {
  const bool remainder = id_ == L::kRemainder || id_ == L::kMod;
  const bool floors = id_ == L::kDiv || id_ == L::kMod;
  const auto zero = [&] { return code_.integer(0); };
  Code d = q, wraps = {};
  if (!q.known || *q.known == 0)
    d = q = t_.ensure(code_.compare(Prim::kNe, q, zero()), "division", "a division by zero", q);
  if (!q.known || *q.known == -1) {
    wraps = code_.compare(Prim::kEq, q, code_.integer(-1));
    d = code_.select(wraps, code_.integer(1), q);
  }
  const auto number = [&](Prim prim) { return code_.op(prim, Coder::integer_type(), {p, d}); };
  Code value = number(remainder ? Prim::kRem : Prim::kDiv);
  if (floors) {
    const Code rest = remainder ? value : number(Prim::kRem);
    const Code opposite = code_.op(Prim::kXor, Coder::boolean_type(), {less(p, zero()), less(q, zero())});
    const Code down = code_.both(code_.compare(Prim::kNe, rest, zero()), opposite);
    value = remainder ? code_.plus(value, code_.select(down, q, zero())) : code_.minus(value, one_if(down));
  }
  if (wraps.type == nullptr) return value;
  return code_.select(wraps, remainder ? zero() : code_.minus(zero(), p), value);
}

// Squares and multiplies.
Code LibraryCall::power(Code x, Code n) {
  const Code fine = code_.compare(Prim::kGe, n, code_.integer(0));
  const Code exponent = t_.ensure(fine, "domain", "the exponent is negative", n);
  const Type type = remora::scalar(AtomKind::kInt);
  return t_
      .routine("power", {integer(x), integer(exponent), integer(code_.integer(1))}, type,
               [&](const State& s, const Self& self) {
                 const Code b = s[0].code, e = s[1].code, so_far = s[2].code;
                 const auto next = [&] {
                   const Code odd =
                       code_.compare(Prim::kNe, code_.remainder(e, code_.integer(2)), code_.integer(0));
                   return self({integer(code_.times(b, b)), integer(code_.quotient(e, code_.integer(2))),
                                integer(code_.select(odd, code_.times(so_far, b), so_far))});
                 };
                 return t_.choose({code_.compare(Prim::kEq, e, code_.integer(0))},
                                  {[&] { return s[2]; }, next}, type);
               })
      .code;
}

// By squaring where the exponent is a small integer, exact as long as no product is rounded; by logarithms
// elsewhere.
Code LibraryCall::float_power(Code x, Code y) {
  const core::Type* real = Coder::real_type();
  const auto op = [&](Prim prim, Code a, Code b) { return code_.op(prim, real, {a, b}); };
  const Type type = remora::scalar(AtomKind::kFloat);
  const auto value = [&](Code c) { return Val{type, c}; };
  const Code one = code_.real(1), limit = code_.real(1024);
  const Code small =
      code_.both(code_.compare(Prim::kLe, y, limit), code_.compare(Prim::kGe, y, code_.real(-1024)));
  const Code n = code_.op(Prim::kTrunc, Coder::integer_type(), {code_.select(small, y, one)});
  const Code whole = code_.both(small, code_.compare(Prim::kEq, code_.op(Prim::kFloat, real, {n}), y));
  const auto squaring = [&] {
    const Code size = code_.select(less(n, code_.integer(0)), code_.minus(code_.integer(0), n), n);
    const Val all = t_.routine(
        "power", {value(x), integer(size), value(one)}, type, [&](const State& s, const Self& self) {
          const Code b = s[0].code, e = s[1].code, so_far = s[2].code;
          const auto next = [&] {
            const Code odd = code_.compare(Prim::kNe, code_.remainder(e, code_.integer(2)), code_.integer(0));
            return self({value(op(Prim::kMul, b, b)), integer(code_.quotient(e, code_.integer(2))),
                         value(code_.select(odd, op(Prim::kMul, so_far, b), so_far))});
          };
          return t_.choose({code_.compare(Prim::kEq, e, code_.integer(0))}, {[&] { return s[2]; }, next},
                           type);
        });
    return value(code_.select(less(n, code_.integer(0)), op(Prim::kDivInternal, one, all.code), all.code));
  };
  const auto root = [&] { return value(code_.op(Prim::kPrimSqrt, real, {x})); };
  // As IEEE's pow where that is special. Of a negative base exponents are whole; behind 2^53 all are, and
  // even.
  const auto other = [&] {
    const Code zero = code_.real(0), last = code_.real(9007199254740992.0);
    const auto minus = [&](Code a) { return op(Prim::kMul, a, code_.real(-1)); };
    const auto is_equal = [&](Code a, Code b) { return code_.compare(Prim::kEq, a, b); };
    const auto either = [&](Code a, Code b) { return code_.op(Prim::kOr, Coder::boolean_type(), {a, b}); };
    const Code negative = either(less(x, zero), less(op(Prim::kDivInternal, one, x), zero));
    const Code within = code_.both(less(y, last), less(minus(last), y));
    const Code k = code_.op(Prim::kTrunc, Coder::integer_type(), {code_.select(within, y, zero)});
    const Code exact = code_.both(within, is_equal(code_.op(Prim::kFloat, real, {k}), y));
    const Code odd =
        code_.both(exact, code_.compare(Prim::kNe, code_.remainder(k, code_.integer(2)), code_.integer(0)));
    const Code beyond = either(code_.compare(Prim::kGe, y, last), code_.compare(Prim::kLe, y, minus(last)));
    const Code of_size =
        either(either(exact, beyond), is_equal(x, code_.real(-std::numeric_limits<double>::infinity())));
    const Code base = code_.select(code_.both(negative, of_size), minus(x), x);
    const Code logarithm = op(Prim::kMul, y, code_.op(Prim::kPrimLn, real, {base}));
    const Code power = code_.select(is_equal(base, one), one, code_.op(Prim::kExp, real, {logarithm}));
    return value(code_.select(code_.both(negative, odd), minus(power), power));
  };
  const Code of_root = code_.both(code_.compare(Prim::kEq, y, code_.real(0.5)), less(code_.real(0), x));
  return t_.choose({whole, of_root}, {squaring, root, other}, type).code;
}

Code LibraryCall::rounded() {
  Code x = code(0);
  if (id_ == L::kRound) x = code_.op(Prim::kAdd, Coder::real_type(), {x, code_.real(0.5)});
  const Code fine = code_.both(code_.compare(Prim::kGe, x, code_.real(-9223372036854775808.0)),
                               less(x, code_.real(9223372036854775808.0)));
  const Code sound = t_.ensure(fine, "domain", "the result is no int", x);
  const Prim prim = id_ == L::kCeiling                     ? Prim::kCeil
                    : id_ == L::kFloor || id_ == L::kRound ? Prim::kFloor
                                                           : Prim::kTrunc;
  return code_.op(prim, Coder::integer_type(), {sound});
}

}  // namespace nvm::remora
