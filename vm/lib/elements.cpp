#include <cmath>
#include <limits>

#include "vm/lib/element_emit.h"
#include "vm/lib/session_node.h"

namespace nvm::lib {

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// What ends an operator that is not applied.
struct Refused {
  Refusal why;
};

bool is_float(ElementType t) { return info_of(t).kind == 'f'; }
bool is_whole(ElementType t) { return info_of(t).kind == 'i' || info_of(t).kind == 'u'; }
ElementType real_of(ElementType t) { return is_float(t) ? t : ElementType::kfloat64; }

bool fits(const WeakNumber& x, ElementType type) {
  const ElementTypeInfo& t = info_of(type);
  if (x.kind != 'i' || !is_whole(type)) return true;
  if (x.width != WeakNumber::Width::kInt64)
    return x.width == WeakNumber::Width::kUint64 && type == ElementType::kuint64;
  if (t.kind == 'u') return x.whole >= 0 && (t.bits == 64 || x.whole >> t.bits == 0);
  return t.bits == 64 || (x.whole >> (t.bits - 1) == 0 || x.whole >> (t.bits - 1) == -1);
}

vm::Vector single(const WeakNumber& x, ElementType type) {
  switch (info_of(type).kind) {
    case 'b': return vm::Vector::of_bool(x.kind == 'f' ? x.real != 0 : x.whole != 0);
    case 'f':
      return vm::Vector::of_float(info_of(type).bits == 32 ? static_cast<double>(static_cast<float>(x.real))
                                                           : x.real);
    default: return vm::Vector::of_int(x.whole);
  }
}

class Operators {
 public:
  Operators(const SizeRef& size, bool at_once) : e_(size, at_once) {}

  Elements at(const Operand& o, ElementType type) const {
    if (o.elements == nullptr) {
      if (!fits(o.number, type)) throw Refused{Refusal::kRange};
      const vm::Vector number = single(o.number, type);
      return made(type, o.number.of_program ? e_.constant_of(number) : e_.input(number));
    }
    auto converted = convert(*o.elements, type);
    if (!converted) throw Refused{Refusal::kElsewhere};
    return std::move(*converted);
  }

  static ElementType meeting_type(const Operand& a, const Operand& b) {
    if (a.elements == nullptr) return meeting(b.elements->type, a.number);
    if (b.elements == nullptr) return meeting(a.elements->type, b.number);
    return common(a.elements->type, b.elements->type);
  }

  Elements binary(ElementOp op, const Operand& a, const Operand& b) const;
  Elements unary(ElementOp op, const Elements& a) const;
  Elements choice(const Elements& c, const Operand& a, const Operand& b) const {
    const ElementType t = meeting_type(a, b);
    const Elements x = at(a, t), y = at(b, t);
    const Elements flags = at({&c, {}}, ElementType::kbool);
    return made(t, e_.select(storage_of(t), flags.values, x.values, y.values));
  }

 private:
  Elements made(ElementType type, Promise values) const { return {type, std::move(values), e_.size()}; }
  Elements finish(ElementType type, const Promise& values) const {
    return made(type, finished(values, type, e_.size()));
  }
  Promise key(const Elements& a) const { return order_key(a); }

  Elements logical(Scalar op, const Operand& a, const Operand& b) const;
  Elements bitwise(Scalar op, const Operand& a, const Operand& b) const;
  Elements relation(Scalar op, Operand a, Operand b) const;
  Elements arithmetic(Scalar op, const Operand& a, const Operand& b) const;
  Elements extreme(Scalar relation, const Operand& a, const Operand& b) const;
  Elements divided(bool remainder, const Operand& a, const Operand& b) const;
  Elements shifted(bool left, const Operand& a, const Operand& b) const;
  Elements power(const Operand& a, const Operand& b) const;
  Promise quotient_of_uint64(bool remainder, const Promise& a, const Promise& b) const;
  Promise quotient(bool remainder, ElementType type, const Promise& a, const Promise& b) const;
  Promise quotient_by_positive(bool remainder, const Promise& a, const Promise& b) const;
  Elements whole_float(Scalar op, const Elements& a) const;
  Elements function(Scalar op, const Elements& a) const {
    const ElementType t = real_of(a.type);
    return finish(t, e_.op(op, TypeWord::kNone, at({&a, {}}, t).values));
  }
  Elements test(ElementOp op, const Elements& a) const;
  Elements negative(const Elements& a) const;
  Elements absolute(const Elements& a) const;
  Elements sign(const Elements& a) const;

  Emit e_;
};

Elements Operators::logical(Scalar op, const Operand& a, const Operand& b) const {
  constexpr ElementType t = ElementType::kbool;
  const Elements x = at(a, t), y = at(b, t);
  return made(t, e_.op(op, TypeWord::kBool, x.values, y.values));
}

Elements Operators::bitwise(Scalar op, const Operand& a, const Operand& b) const {
  const ElementType t = meeting_type(a, b);
  if (is_float(t)) throw Refused{Refusal::kType};
  const Elements x = at(a, t), y = at(b, t);
  return made(t, e_.op(op, Emit::word_of(storage_of(t)), x.values, y.values));
}

Elements Operators::relation(Scalar op, Operand a, Operand b) const {
  ElementType t = meeting_type(a, b);
  for (const Operand* o : {&a, &b})
    if (o->elements == nullptr && !fits(o->number, t)) t = ElementType::kfloat64;
  const Elements x = at(a, t), y = at(b, t);
  const Kind kind = t == ElementType::kbool ? Kind::kInt : storage_of(t);
  const Promise left = key(x);
  return made(ElementType::kbool, e_.compare(op, kind, left, key(y)));
}

Elements Operators::arithmetic(Scalar op, const Operand& a, const Operand& b) const {
  const ElementType t = meeting_type(a, b);
  if (t == ElementType::kbool) {
    if (op == Scalar::kSub) throw Refused{Refusal::kType};
    return logical(op == Scalar::kAdd ? Scalar::kOr : Scalar::kAnd, a, b);
  }
  const Elements x = at(a, t), y = at(b, t);
  return finish(t, e_.op(op, Emit::word_of(storage_of(t)), x.values, y.values));
}

Elements Operators::extreme(Scalar relation, const Operand& a, const Operand& b) const {
  const ElementType t = meeting_type(a, b);
  if (t == ElementType::kbool) return logical(relation == Scalar::kGt ? Scalar::kOr : Scalar::kAnd, a, b);
  const Elements x = at(a, t), y = at(b, t);
  const Promise left = key(x);
  Promise first = e_.compare(relation, storage_of(t), left, key(y));
  if (is_float(t))  // what is no number comes through
    first = e_.either(first, e_.compare(Scalar::kNe, Kind::kFloat, x.values, x.values));
  return made(t, e_.select(storage_of(t), first, x.values, y.values));
}

Promise Operators::quotient_of_uint64(bool remainder, const Promise& a, const Promise& b) const {
  constexpr Kind kInt = Kind::kInt;
  const Promise zero = e_.whole(0), one = e_.whole(1), least = e_.whole(kLeast);
  const Promise key_b = e_.ints(Scalar::kXor, b, least);
  const Promise half = e_.ints(Scalar::kAnd, e_.ints(Scalar::kShr, a, one), e_.whole(kMost));
  const Promise large = e_.compare(Scalar::kLt, kInt, b, zero);
  const Promise divisor = e_.select(kInt, large, one, b);
  Promise q = e_.ints(Scalar::kShl, e_.ints(Scalar::kDiv, half, divisor), one);
  q = e_.select(kInt, large, zero, q);
  const Promise r = e_.ints(Scalar::kSub, a, e_.ints(Scalar::kMul, q, b));
  const Promise more = e_.compare(Scalar::kGe, kInt, e_.ints(Scalar::kXor, r, least), key_b);
  if (remainder) return e_.select(kInt, more, e_.ints(Scalar::kSub, r, b), r);
  return e_.ints(Scalar::kAdd, q, e_.of_bools(more));
}

// Rounded down, as Python's.
Promise Operators::quotient(bool remainder, ElementType type, const Promise& a, const Promise& b) const {
  constexpr Kind kInt = Kind::kInt;
  const Promise zero = e_.whole(0);
  Promise divisor = b, minus;
  if (info_of(type).bits == 64) {  // the least integer by -1 wraps
    minus = e_.compare(Scalar::kEq, kInt, b, e_.whole(-1));
    divisor = e_.select(kInt, minus, e_.whole(1), b);
  }
  const Promise r = e_.op(Scalar::kRem, TypeWord::kNone, a, divisor);
  Promise down;
  if (info_of(type).kind == 'i') {
    const Promise signs = e_.op(Scalar::kXor, TypeWord::kBool, e_.compare(Scalar::kLt, kInt, r, zero),
                                e_.compare(Scalar::kLt, kInt, b, zero));
    down = e_.both(e_.compare(Scalar::kNe, kInt, r, zero), signs);
  }
  if (remainder) return down ? e_.select(kInt, down, e_.ints(Scalar::kAdd, r, b), r) : r;
  Promise q = e_.ints(Scalar::kDiv, a, divisor);
  if (minus) q = e_.select(kInt, minus, e_.ints(Scalar::kSub, zero, a), q);
  return down ? e_.ints(Scalar::kSub, q, e_.of_bools(down)) : q;
}

Promise Operators::quotient_by_positive(bool remainder, const Promise& a, const Promise& b) const {
  const Promise r = e_.ints(Scalar::kRem, a, b);
  const Promise down = e_.compare(Scalar::kLt, Kind::kInt, r, e_.whole(0));
  if (remainder) return e_.select(Kind::kInt, down, e_.ints(Scalar::kAdd, r, b), r);
  return e_.ints(Scalar::kSub, e_.ints(Scalar::kDiv, a, b), e_.of_bools(down));
}

Elements Operators::divided(bool remainder, const Operand& a, const Operand& b) const {
  ElementType t = meeting_type(a, b);
  if (t == ElementType::kbool) t = ElementType::kint64;
  if (is_float(t)) throw Refused{Refusal::kElsewhere};
  const Elements x = at(a, t), y = at(b, t);
  if (range_of(x.values).low >= 0 && range_of(y.values).low >= 0)
    return made(t, e_.ints(remainder ? Scalar::kRem : Scalar::kDiv, x.values, y.values));
  if (info_of(t).kind == 'i' && b.elements == nullptr && b.number.whole > 0)
    return made(t, quotient_by_positive(remainder, x.values, y.values));
  if (t == ElementType::kuint64) return made(t, quotient_of_uint64(remainder, x.values, y.values));
  const Promise q = quotient(remainder, t, x.values, y.values);
  return info_of(t).kind == 'i' && !remainder ? finish(t, q) : made(t, q);
}

Elements Operators::shifted(bool left, const Operand& a, const Operand& b) const {
  constexpr Kind kInt = Kind::kInt;
  const ElementType t = meeting_type(a, b);
  if (!is_whole(t)) throw Refused{Refusal::kType};
  const Elements x = at(a, t), y = at(b, t);
  const Promise far = e_.compare(Scalar::kGe, kInt, y.values, e_.whole(64));
  if (left) return finish(t, e_.select(kInt, far, e_.whole(0), e_.ints(Scalar::kShl, x.values, y.values)));
  if (t != ElementType::kuint64)
    return made(t, e_.ints(Scalar::kShr, x.values, e_.select(kInt, far, e_.whole(63), y.values)));
  const Promise one = e_.whole(1), zero = e_.whole(0);
  const Promise half = e_.ints(Scalar::kAnd, e_.ints(Scalar::kShr, x.values, one), e_.whole(kMost));
  Promise h = e_.ints(Scalar::kShr, half, e_.ints(Scalar::kSub, y.values, one));
  h = e_.select(kInt, far, zero, h);
  return made(t, e_.select(kInt, e_.compare(Scalar::kEq, kInt, y.values, zero), x.values, h));
}

// Small whole exponents; the others are no instruction's.
Elements Operators::power(const Operand& a, const Operand& b) const {
  constexpr std::int64_t kMostProducts = 16;
  ElementType t = meeting_type(a, b);
  if (t == ElementType::kbool) t = ElementType::kint64;
  const WeakNumber& n = b.number;
  const bool small = b.elements == nullptr && n.kind == 'i' && n.width == WeakNumber::Width::kInt64 &&
                     n.whole >= 0 && n.whole <= kMostProducts;
  if (!small) throw Refused{Refusal::kElsewhere};
  Elements base = at(a, t);
  const TypeWord word = Emit::word_of(storage_of(t));
  const auto times = [&](const Elements& x, const Elements& y) {
    return finish(t, e_.op(Scalar::kMul, word, x.values, y.values));
  };
  Elements result = made(t, is_float(t) ? e_.number(1.0) : e_.whole(1));
  for (std::int64_t left = n.whole; left > 0; left >>= 1) {
    if ((left & 1) != 0) result = times(result, base);
    if (left > 1) base = times(base, base);
  }
  return result;
}

Elements Operators::binary(ElementOp op, const Operand& a, const Operand& b) const {
  switch (op) {
    case ElementOp::k_add: return arithmetic(Scalar::kAdd, a, b);
    case ElementOp::k_subtract: return arithmetic(Scalar::kSub, a, b);
    case ElementOp::k_multiply: return arithmetic(Scalar::kMul, a, b);
    case ElementOp::k_divide: {
      const ElementType t = real_of(meeting_type(a, b));
      const Elements x = at(a, t), y = at(b, t);
      return finish(t, e_.floats(Scalar::kDiv, x.values, y.values));
    }
    case ElementOp::k_floor_divide: return divided(false, a, b);
    case ElementOp::k_remainder: return divided(true, a, b);
    case ElementOp::k_pow: return power(a, b);
    case ElementOp::k_minimum: return extreme(Scalar::kLt, a, b);
    case ElementOp::k_maximum: return extreme(Scalar::kGt, a, b);
    case ElementOp::k_less: return relation(Scalar::kLt, a, b);
    case ElementOp::k_less_equal: return relation(Scalar::kLe, a, b);
    case ElementOp::k_greater: return relation(Scalar::kGt, a, b);
    case ElementOp::k_greater_equal: return relation(Scalar::kGe, a, b);
    case ElementOp::k_equal: return relation(Scalar::kEq, a, b);
    case ElementOp::k_not_equal: return relation(Scalar::kNe, a, b);
    case ElementOp::k_bitwise_and: return bitwise(Scalar::kAnd, a, b);
    case ElementOp::k_bitwise_or: return bitwise(Scalar::kOr, a, b);
    case ElementOp::k_bitwise_xor: return bitwise(Scalar::kXor, a, b);
    case ElementOp::k_bitwise_left_shift: return shifted(true, a, b);
    case ElementOp::k_bitwise_right_shift: return shifted(false, a, b);
    case ElementOp::k_logical_and: return logical(Scalar::kAnd, a, b);
    case ElementOp::k_logical_or: return logical(Scalar::kOr, a, b);
    default: return logical(Scalar::kXor, a, b);
  }
}

Elements Operators::negative(const Elements& a) const {
  if (is_float(a.type)) return made(a.type, e_.floats(Scalar::kMul, a.values, e_.number(-1.0)));
  return finish(a.type, e_.ints(Scalar::kSub, e_.whole(0), a.values));
}

Elements Operators::absolute(const Elements& a) const {
  if (is_float(a.type)) return made(a.type, magnitude(e_, a.values));
  if (info_of(a.type).kind != 'i') return a;
  const Promise zero = e_.whole(0);
  const Promise below = e_.compare(Scalar::kLt, Kind::kInt, a.values, zero);
  return finish(a.type, e_.select(Kind::kInt, below, e_.ints(Scalar::kSub, zero, a.values), a.values));
}

Elements Operators::sign(const Elements& a) const {
  const Kind kind = storage_of(a.type);
  const auto all = [&](std::int64_t x) {
    return kind == Kind::kFloat ? e_.number(static_cast<double>(x)) : e_.whole(x);
  };
  const Promise zero = all(0), one = all(1);
  if (info_of(a.type).kind == 'u')
    return made(a.type, e_.select(kind, e_.compare(Scalar::kEq, kind, a.values, zero), zero, one));
  const Promise rest =
      kind == Kind::kFloat ? e_.floats(Scalar::kAdd, a.values, zero) : a.values;  // of -0.0 too
  const Promise above = e_.select(kind, e_.compare(Scalar::kGt, kind, a.values, zero), one, rest);
  return made(a.type, e_.select(kind, e_.compare(Scalar::kLt, kind, a.values, zero), all(-1), above));
}

// To a whole number that stays a float; ROUND half to even.
Elements Operators::whole_float(Scalar op, const Elements& a) const {
  constexpr Kind kFloat = Kind::kFloat;
  if (!is_float(a.type)) return a;
  const Promise& x = a.values;
  const Promise zero = e_.number(0.0);
  Promise r;
  if (op == Scalar::kRound) {
    const Promise big = e_.number(0x1p52);
    const Promise up = e_.floats(Scalar::kSub, e_.floats(Scalar::kAdd, x, big), big);
    const Promise down = e_.floats(Scalar::kAdd, e_.floats(Scalar::kSub, x, big), big);
    r = e_.select(kFloat, e_.compare(Scalar::kGe, kFloat, x, zero), up, down);
  } else {
    r = e_.real(e_.op(op, TypeWord::kNone, x));
  }
  r = e_.select(kFloat, e_.compare(Scalar::kEq, kFloat, r, zero), e_.floats(Scalar::kMul, x, zero), r);
  const Promise has_fraction = e_.compare(Scalar::kLt, kFloat, magnitude(e_, x), e_.number(0x1p52));
  return made(a.type, e_.select(kFloat, has_fraction, r, x));
}

Elements Operators::test(ElementOp op, const Elements& a) const {
  constexpr ElementType t = ElementType::kbool;
  if (!is_float(a.type)) return made(t, e_.flag(op == ElementOp::k_isfinite));
  if (op == ElementOp::k_isnan) return made(t, e_.compare(Scalar::kNe, Kind::kFloat, a.values, a.values));
  const Promise most = e_.number(std::numeric_limits<double>::max());
  const Scalar relation = op == ElementOp::k_isinf ? Scalar::kGt : Scalar::kLe;
  return made(t, e_.compare(relation, Kind::kFloat, magnitude(e_, a.values), most));
}

Elements Operators::unary(ElementOp op, const Elements& a) const {
  const bool on_bools = a.type == ElementType::kbool;
  switch (op) {
    case ElementOp::k_positive:
    case ElementOp::k_real:
    case ElementOp::k_conj: return a;
    case ElementOp::k_imag: return made(a.type, on_bools ? e_.flag(false) : e_.zero(storage_of(a.type)));
    case ElementOp::k_isnan:
    case ElementOp::k_isinf:
    case ElementOp::k_isfinite: return test(op, a);
    case ElementOp::k_square: return arithmetic(Scalar::kMul, {&a, {}}, {&a, {}});
    case ElementOp::k_reciprocal: {
      const Elements x = at({&a, {}}, real_of(a.type));
      return finish(x.type, e_.floats(Scalar::kDiv, e_.number(1.0), x.values));
    }
    case ElementOp::k_logical_not:
      return made(ElementType::kbool, e_.negated(at({&a, {}}, ElementType::kbool).values));
    case ElementOp::k_bitwise_invert:
      if (is_float(a.type)) throw Refused{Refusal::kType};
      if (on_bools) return made(a.type, e_.negated(a.values));
      return finish(a.type, e_.op(Scalar::kNot, TypeWord::kInt, a.values));
    case ElementOp::k_sqrt: return function(Scalar::kSqrt, a);
    case ElementOp::k_exp: return function(Scalar::kExp, a);
    case ElementOp::k_log: return function(Scalar::kLog, a);
    case ElementOp::k_sin: return function(Scalar::kSin, a);
    case ElementOp::k_cos: return function(Scalar::kCos, a);
    case ElementOp::k_tan: return function(Scalar::kTan, a);
    case ElementOp::k_asin: return function(Scalar::kAsin, a);
    case ElementOp::k_acos: return function(Scalar::kAcos, a);
    case ElementOp::k_atan: return function(Scalar::kAtan, a);
    case ElementOp::k_sinh: return function(Scalar::kSinh, a);
    case ElementOp::k_cosh: return function(Scalar::kCosh, a);
    case ElementOp::k_tanh: return function(Scalar::kTanh, a);
    default: break;
  }
  if (on_bools) {
    if (op == ElementOp::k_abs) return a;
    throw Refused{Refusal::kType};
  }
  switch (op) {
    case ElementOp::k_negative: return negative(a);
    case ElementOp::k_abs: return absolute(a);
    case ElementOp::k_sign: return sign(a);
    case ElementOp::k_floor: return whole_float(Scalar::kFloor, a);
    case ElementOp::k_ceil: return whole_float(Scalar::kCeil, a);
    case ElementOp::k_trunc: return whole_float(Scalar::kTrunc, a);
    default: return whole_float(Scalar::kRound, a);
  }
}

struct OpRow {
  std::string_view name;
  int operands;
};
constexpr OpRow kOps[] = {
#define ELEMENT_OP(name, operands) {#name, operands},
#include "vm/lib/element_ops.def"
};

bool is_complex(const Operand& o) { return o.elements != nullptr && info_of(o.elements->type).kind == 'c'; }

// Does all that an operator records have its operands' values?
bool at_once(std::span<const Operand> operands, const SizeRef& size) {
  if (!size->known()) return false;
  for (const Operand& o : operands)
    if (o.elements != nullptr && !all_few({&o.elements->values, 1})) return false;
  return true;
}

template <typename F>
Applied unless_refused(F f) {
  try {
    Elements made = f();
    made.values = written(made.values);
    return {std::move(made), Refusal::kNone};
  } catch (const Refused& refused) {
    return {{}, refused.why};
  }
}

}  // namespace

std::optional<ElementOp> find_element_op(std::string_view name) {
  for (std::size_t k = 0; k < std::size(kOps); ++k)
    if (kOps[k].name == name) return static_cast<ElementOp>(k);
  return std::nullopt;
}

int operands_of(ElementOp op) { return kOps[static_cast<std::size_t>(op)].operands; }

Applied apply(ElementOp op, std::span<const Operand> operands, const SizeRef& size) {
  for (const Operand& o : operands)
    if (is_complex(o)) return {{}, Refusal::kElsewhere};
  const Operators operators(size, at_once(operands, size));
  return unless_refused([&] {
    if (operands.size() == 1) return operators.unary(op, *operands[0].elements);
    return operators.binary(op, operands[0], operands[1]);
  });
}

Applied where(const Elements& condition, const Operand& a, const Operand& b, const SizeRef& size) {
  if (is_complex(a) || is_complex(b) || is_complex({&condition, {}})) return {{}, Refusal::kElsewhere};
  const Operand all[] = {{&condition, {}}, a, b};
  return unless_refused([&] { return Operators(size, at_once(all, size)).choice(condition, a, b); });
}

}  // namespace nvm::lib
