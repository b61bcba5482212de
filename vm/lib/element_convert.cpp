#include <atomic>
#include <limits>

#include "vm/lib/element_emit.h"
#include "vm/lib/impl.h"
#include "vm/lib/session_node.h"

namespace nvm::lib {

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Promise shifted_right(const Emit& e, const Promise& a) {  // by one, without a sign
  return e.ints(Scalar::kAnd, e.ints(Scalar::kShr, a, e.whole(1)), e.whole(kMost));
}

Promise real_of_uint64(const Emit& e, const Promise& h) {
  const Promise half = e.ints(Scalar::kOr, shifted_right(e, h), e.ints(Scalar::kAnd, h, e.whole(1)));
  const Promise big = e.floats(Scalar::kMul, e.real(half), e.number(2.0));
  return e.select(Kind::kFloat, e.compare(Scalar::kLt, Kind::kInt, h, e.whole(0)), big, e.real(h));
}

}  // namespace

const Instruction& Emit::instruction(Scalar scalar, TypeWord word) {
  constexpr std::size_t kWords = 6;
  static std::atomic<const Instruction*> known[static_cast<std::size_t>(Scalar::kNoScalar)][kWords];
  auto& place = known[static_cast<std::size_t>(scalar)][static_cast<std::size_t>(word)];
  const Instruction* found = place.load(std::memory_order_acquire);
  if (found == nullptr) {
    const OpInfo& info = op_info(elementwise_op(scalar));
    std::string text(info.text);
    if (info.words != Words::kNoWord) text += " " + std::string(type_word_text(word));
    found = find_instruction(text);
    place.store(found, std::memory_order_release);
  }
  return *found;
}

Promise Emit::input(const vm::Vector& number) const {
  if (at_once_ && !size_->is_number() && *size_->known() > 1)
    return repeated(graph(), number, *size_->known());
  return spread(graph().given(loose_value(number)), nvm::word_of(number.type()));
}

Promise Emit::constant_of(const vm::Vector& number) const {
  switch (number.type()) {
    case nvm::Type::kFloat: return this->number(number.float_at(0));
    case nvm::Type::kBool: return flag(number.bool_at(0));
    default: return whole(number.int_at(0));
  }
}

Promise Emit::spread(const Promise& single, TypeWord word) const {
  static const Instruction* const ints = find_instruction("DIST INT");
  static const Instruction* const floats = find_instruction("DIST FLOAT");
  static const Instruction* const bools = find_instruction("DIST BOOL");
  if (size_->is_number()) return single;
  if (at_once_ && single.evaluated() && *size_->known() > 1)
    return repeated(graph(), std::get<vm::Vector>(single.value().impl()->value), *size_->known());
  const Promise operands[] = {single, size_->segments()};
  return record(word == TypeWord::kInt ? *ints : word == TypeWord::kFloat ? *floats : *bools, operands);
}

Promise magnitude(const Emit& e, const Promise& x) {
  const Promise zero = e.number(0.0);
  return e.select(Kind::kFloat, e.compare(Scalar::kLe, Kind::kFloat, x, zero),
                  e.floats(Scalar::kSub, zero, x), x);
}

Promise wrapped(const Emit& e, const Promise& values, int bits, char kind) {
  if (bits == 64) return values;
  const Range all = all_ints(bits);
  if (range_of(values).inside(kind == 'u' ? Range{0, 2 * all.high + 1} : all)) return values;
  if (kind == 'u') return e.ints(Scalar::kAnd, values, e.whole((std::int64_t{1} << bits) - 1));
  const Promise shift = e.whole(64 - bits);
  return e.ints(Scalar::kShr, e.ints(Scalar::kShl, values, shift), shift);
}

// The nearest float32, ties to even. For normal results c - (c - x) with c = x * 2^29 has an ulp of
// float32's; tiny ones are rounded to multiples of 2^-149, large ones are infinite.
Promise rounded_to_single(const Emit& e, const Promise& x) {
  const auto apply = [&](Scalar op, const Promise& a, const Promise& b) { return e.floats(op, a, b); };
  const auto select = [&](const Promise& c, const Promise& a, const Promise& b) {
    return e.select(Kind::kFloat, c, a, b);
  };
  const Promise c = apply(Scalar::kMul, x, e.number(0x1p29));
  const Promise normal = apply(Scalar::kSub, c, apply(Scalar::kSub, c, x));
  const Promise shift = e.number(0x1.8p-97);  // 1.5 * 2^(52 - 149)
  Promise tiny = apply(Scalar::kSub, apply(Scalar::kAdd, x, shift), shift);
  const Promise zero = e.number(0.0);
  tiny = select(e.compare(Scalar::kEq, Kind::kFloat, tiny, zero), apply(Scalar::kMul, x, zero), tiny);
  const Promise huge = e.number(1e308);
  const Promise large = apply(Scalar::kMul, apply(Scalar::kMul, x, huge), huge);
  const Promise fits = e.compare(Scalar::kLt, Kind::kFloat, magnitude(e, normal), e.number(0x1p128));
  const Promise result = select(fits, normal, large);
  return select(e.compare(Scalar::kLt, Kind::kFloat, magnitude(e, x), e.number(0x1p-126)), tiny, result);
}

Promise finished(const Promise& values, ElementType type, const SizeRef& size) {
  const ElementTypeInfo& info = info_of(type);
  const Emit e(size);
  if (info.kind == 'f') return info.bits == 32 ? rounded_to_single(e, values) : values;
  return info.kind == 'b' ? values : wrapped(e, values, info.bits, info.kind);
}

Promise order_key(const Elements& x) {
  const Emit e(x.size);
  if (x.type == ElementType::kuint64) return e.ints(Scalar::kXor, x.values, e.whole(kLeast));
  return x.type == ElementType::kbool ? e.of_bools(x.values) : x.values;
}

std::optional<Elements> convert(const Elements& from, ElementType type) {
  if (from.type == type) return from;
  const ElementTypeInfo t = info_of(type);
  ElementTypeInfo s = info_of(from.type);
  if (s.kind == 'c' || t.kind == 'c') return std::nullopt;
  const Emit e(from.size);
  Promise h = from.values;
  const auto made = [&](Promise values) { return Elements{type, std::move(values), from.size}; };
  if (t.kind == 'b') {
    if (s.kind == 'f') return made(e.compare(Scalar::kNe, Kind::kFloat, h, e.number(0.0)));
    return made(e.op(Scalar::kItoB, TypeWord::kNone, h));
  }
  if (s.kind == 'b') {
    h = e.of_bools(h);
    if (t.kind != 'f') return made(h);
    s = info_of(ElementType::kint64);
  }
  if (t.kind == 'f') {
    if (s.kind == 'f') return made(s.bits > t.bits ? rounded_to_single(e, h) : h);
    const Promise x = s.kind == 'u' && s.bits == 64 ? real_of_uint64(e, h) : e.real(h);
    return made(t.bits == 32 ? rounded_to_single(e, x) : x);
  }
  if (s.kind == 'f') {
    if (t.kind == 'u' && t.bits == 64) return std::nullopt;
    h = e.op(Scalar::kTrunc, TypeWord::kNone, h);
  }
  const bool narrower = t.bits < s.bits || t.kind != s.kind;
  return made(narrower ? wrapped(e, h, t.bits, t.kind) : h);
}

}  // namespace nvm::lib
