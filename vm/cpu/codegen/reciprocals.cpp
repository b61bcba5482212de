#include "vm/cpu/codegen/reciprocals.h"

#include <algorithm>
#include <cstddef>

#include "bytecode/base/at.h"
#include "bytecode/plan/value_ranges.h"
#include "vm/simd/reciprocal.h"

namespace nvm::vm::cpu {

namespace {

using asmjit::imm;
using soac::BodyInst;
using soac::kNone;
using soac::Pull;

void write_reciprocal(std::int64_t divisor, Reciprocal* out) { *out = reciprocal_of(divisor); }

bool divides(const soac::Body& body, const BodyInst& in) {
  return in.pull == Pull::kApply && (in.scalar == Scalar::kDiv || in.scalar == Scalar::kRem) &&
         body.insts[at(in.a)].type == Type::kInt;
}

bool is_one(const BodyInst& in) { return in.pull == Pull::kConst && in.type == Type::kInt && in.imm == 1; }

}  // namespace

void Reciprocals::prepare(const std::vector<bool>& computed, const CellOf& cell_of) {
  division_of_.assign(computed.size(), kNone);
  constexpr Range kSmall = {-kSmallDividend, kSmallDividend};
  std::vector<Range> ranges, of_words;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    if (!computed[i] || !divides(*spec_.body, spec_.body->insts[i])) continue;
    auto found = division(i, cell_of);
    if (!found) continue;
    if (ranges.empty()) {
      ranges = plan::value_ranges(*spec_.body, *spec_.vars, spec_.int_bits);
      of_words = plan::value_ranges(*spec_.body, *spec_.vars, spec_.int_bits, std::nullopt, all_ints(32));
    }
    // What is carried is stored as it begins, and may become any number.
    const bool known = spec_.repeat == nullptr;
    found->is_small = !lanes_.wide() || (known && ranges[at(found->dividend)].inside(kSmall));
    found->is_small_of_words = known && of_words[at(found->dividend)].inside(kSmall);
    division_of_[i] = static_cast<std::int32_t>(divisions_.size());
    divisions_.push_back(*found);
  }
}

bool Reciprocals::small_of_words() const {
  const auto asked = [](const Division& d) { return !d.is_small; };
  return std::any_of(divisions_.begin(), divisions_.end(), asked) &&
         std::all_of(divisions_.begin(), divisions_.end(),
                     [](const Division& d) { return d.is_small || d.is_small_of_words; });
}

std::optional<Reciprocals::Division> Reciprocals::division(std::size_t value, const CellOf& cell_of) {
  const BodyInst& in = spec_.body->insts[value];
  const BodyInst& by = spec_.body->insts[at(in.b)];
  Division found;
  found.dividend = in.a;
  found.remainder = in.scalar == Scalar::kRem;
  std::int32_t number = in.b;
  // As filters ask for it, which divide by one what they drop.
  if (by.pull == Pull::kApply && by.scalar == Scalar::kSelect && is_one(spec_.body->insts[at(by.c)])) {
    found.where = by.a;
    number = by.b;
  }
  const auto d = divisor(number, cell_of);
  if (!d) return std::nullopt;
  found.divisor = *d;
  return found;
}

std::optional<std::size_t> Reciprocals::divisor(std::int32_t value, const CellOf& cell_of) {
  const auto known =
      std::find_if(divisors_.begin(), divisors_.end(), [&](const Divisor& d) { return d.value == value; });
  if (known != divisors_.end()) return static_cast<std::size_t>(known - divisors_.begin());
  const BodyInst& in = spec_.body->insts[at(value)];
  const auto given = in.pull == Pull::kConst ? std::nullopt : cell_of(at(value));
  if (in.pull != Pull::kConst && !given) return std::nullopt;
  const x86::Gp number = cc_.newInt64();
  given ? cc_.mov(number, *given) : cc_.mov(number, imm(in.imm));
  if (!lanes_.wide()) cc_.movsxd(number, number.r32());
  Divisor d;
  d.value = value;
  d.cells = cc_.newStack(sizeof(Reciprocal), 32);
  const x86::Gp to = cc_.newIntPtr();
  cc_.lea(to, d.cells);
  asmjit::InvokeNode* node = nullptr;
  cc_.invoke(&node, reinterpret_cast<std::uint64_t>(&write_reciprocal),
             asmjit::FuncSignatureT<void, std::int64_t, void*>());
  node->setArg(0, number);
  node->setArg(1, to);
  divisors_.push_back(d);
  return divisors_.size() - 1;
}

void Reciprocals::hoist() {
  for (std::size_t k = 0; k < divisors_.size(); ++k) {
    Divisor& d = divisors_[k];
    const auto any = [&](auto which) {
      return std::any_of(divisions_.begin(), divisions_.end(),
                         [&](const Division& n) { return n.divisor == k && which(n); });
    };
    d.inverse = broadcast(d, Type::kFloat, offsetof(Reciprocal, inverse));
    if (any([](const Division& n) { return n.remainder; }))
      d.as_float = broadcast(d, Type::kFloat, offsetof(Reciprocal, divisor));
    d.is_zero = broadcast(d, Type::kBool, offsetof(Reciprocal, is_zero));
    if (any([](const Division& n) { return n.where == kNone; })) lanes_.trap_where(d.is_zero);
  }
}

x86::Mem Reciprocals::cell(const Divisor& d, std::size_t offset) const {
  x86::Mem cells = d.cells;
  cells.setSize(8);
  return cells.cloneAdjusted(static_cast<std::int64_t>(offset));
}

Lane Reciprocals::broadcast(const Divisor& d, Type type, std::size_t offset) {
  return lanes_.broadcast(type, cell(d, offset));
}

Lane Reciprocals::emit(std::size_t value, const std::vector<Lane>& values) {
  const Division& division = divisions_[at(division_of_[value])];
  const Divisor& d = divisors_[division.divisor];
  const Lane& a = values[at(division.dividend)];
  const bool is_small = division.is_small || (words_ && division.is_small_of_words);
  const Lane result = is_small ? by_inverse(division, a) : either(division, a, values);
  if (!lanes_.wide()) {
    const Lane least = lanes_.compare(Compare::kEq, a, lanes_.constant_int(INT32_MIN));
    trap(division, lanes_.and_bool(least, broadcast(d, Type::kBool, offsetof(Reciprocal, is_minus_one))),
         values);
  }
  if (division.where == kNone) return result;
  trap(division, d.is_zero, values);
  return lanes_.select(values[at(division.where)], result, division.remainder ? lanes_.constant_int(0) : a);
}

void Reciprocals::trap(const Division& division, const Lane& bad, const std::vector<Lane>& values) {
  lanes_.trap_where(division.where == kNone ? bad : lanes_.and_bool(bad, values[at(division.where)]));
}

Lane Reciprocals::either(const Division& division, const Lane& a, const std::vector<Lane>& values) {
  const asmjit::Label large = cc_.newLabel();
  const asmjit::Label done = cc_.newLabel();
  const Lane d = lanes_.of(Type::kInt, lanes_.new_int());
  jump_unless_small(a, large);
  cc_.vmovaps(d.v, by_inverse(division, a).v);
  cc_.jmp(done);
  cc_.bind(large);
  cc_.vmovaps(d.v, by_product(division, a, values).v);
  cc_.bind(done);
  return d;
}

// Bits of x + kSmallDividend that a small x does not have.
void Reciprocals::jump_unless_small(const Lane& a, const asmjit::Label& to) {
  const Lane moved = lanes_.add_int(a, lanes_.constant_int(kSmallDividend));
  const Lane high = lanes_.constant_int(-2 * kSmallDividend);
  if (lanes_.isa() == Isa::kAvx512) {
    const x86::KReg large = cc_.newKb();
    cc_.vptestmq(large, moved.v, high.v);
    cc_.kortestb(large, large);
  } else {
    cc_.vptest(moved.v, high.v);
  }
  cc_.jnz(to);
}

Lane Reciprocals::by_inverse(const Division& division, const Lane& a) {
  const Divisor& d = divisors_[division.divisor];
  const x86::Vec dividend = small_to_float(a);
  const x86::Vec product = lanes_.new_float();
  cc_.vmulpd(product, dividend, d.inverse.v);
  const bool avx2_wide = lanes_.isa() == Isa::kAvx2 && lanes_.wide();
  if (!division.remainder && !avx2_wide) return lanes_.to_int(lanes_.of(Type::kFloat, product));
  const Lane quotient = lanes_.round(lanes_.of(Type::kFloat, product), 3);
  if (!division.remainder) return whole_to_int(quotient.v);
  cc_.vfnmadd231pd(dividend, quotient.v, d.as_float.v);  // exact: below 2^53
  return whole_to_int(dividend);
}

x86::Vec Reciprocals::small_to_float(const Lane& a) {
  if (lanes_.isa() == Isa::kAvx512 || !lanes_.wide()) return lanes_.to_float(a).v;
  const x86::Vec sum = lanes_.new_int();
  const x86::Vec d = lanes_.new_float();
  cc_.vpaddq(sum, a.v, lanes_.constant_int(kMagicBits).v);
  cc_.vsubpd(d, sum, lanes_.constant_float(kMagic).v);
  return d;
}

Lane Reciprocals::whole_to_int(const x86::Vec& v) {
  if (lanes_.isa() == Isa::kAvx512 || !lanes_.wide()) return lanes_.to_int(lanes_.of(Type::kFloat, v));
  const x86::Vec sum = lanes_.new_float();
  const x86::Vec d = lanes_.new_int();
  cc_.vaddpd(sum, v, lanes_.constant_float(kMagic).v);
  cc_.vpsubq(d, sum, lanes_.constant_int(kMagicBits).v);
  return lanes_.of(Type::kInt, d);
}

Lane Reciprocals::by_product(const Division& division, const Lane& a, const std::vector<Lane>& values) {
  const Divisor& d = divisors_[division.divisor];
  const Lane least = lanes_.compare(Compare::kEq, a, lanes_.constant_int(INT64_MIN));
  trap(division, lanes_.and_bool(least, broadcast(d, Type::kBool, offsetof(Reciprocal, is_minus_one))),
       values);
  const x86::Vec negative = signs(a.v);
  const x86::Vec lowered = logic(x86::Inst::kIdVpand, x86::Inst::kIdVpandq, negative,
                                 broadcast(d, Type::kInt, offsetof(Reciprocal, multiplier)).v);
  x86::Vec q = high_product(d, a.v);
  cc_.vpsubq(q, q, lowered);
  q = shifted_down(d, q);
  cc_.vpsubq(q, q, negative);
  const Lane unit = broadcast(d, Type::kBool, offsetof(Reciprocal, is_unit));
  const Lane quotient = lanes_.select(unit, a, lanes_.of(Type::kInt, q));
  if (division.remainder)
    return lanes_.sub_int(
        a, lanes_.mul_int(quotient, broadcast(d, Type::kInt, offsetof(Reciprocal, magnitude))));
  const Lane sign = broadcast(d, Type::kInt, offsetof(Reciprocal, sign));
  const x86::Vec turned = logic(x86::Inst::kIdVpxor, x86::Inst::kIdVpxorq, quotient.v, sign.v);
  return lanes_.sub_int(lanes_.of(Type::kInt, turned), sign);
}

// The upper 64 bits of the product of a, as unsigned, with the multiplier, from products of halves.
x86::Vec Reciprocals::high_product(const Divisor& d, const x86::Vec& a) {
  const x86::Vec low = broadcast(d, Type::kInt, offsetof(Reciprocal, multiplier)).v;
  const x86::Vec high = lanes_.new_int();
  cc_.vpsrlq(high, low, imm(32));
  const x86::Vec upper = lanes_.new_int();
  cc_.vpsrlq(upper, a, imm(32));
  const auto times = [&](const x86::Vec& x, const x86::Vec& y) {
    const x86::Vec p = lanes_.new_int();
    cc_.vpmuludq(p, x, y);
    return p;
  };
  const x86::Vec lows = times(a, low);
  const x86::Vec middle = times(upper, low);
  const x86::Vec other = times(a, high);
  const x86::Vec highs = times(upper, high);
  cc_.vpsrlq(lows, lows, imm(32));
  cc_.vpaddq(middle, middle, lows);
  const x86::Vec carried =
      logic(x86::Inst::kIdVpand, x86::Inst::kIdVpandq, middle, lanes_.constant_int(0xFFFF'FFFF).v);
  cc_.vpaddq(other, other, carried);
  cc_.vpsrlq(middle, middle, imm(32));
  cc_.vpsrlq(other, other, imm(32));
  cc_.vpaddq(highs, highs, middle);
  cc_.vpaddq(highs, highs, other);
  return highs;
}

// Shifted right by l - 1 with the sign. AVX2 has no such shift: an unsigned one of what lies 2^63 higher.
x86::Vec Reciprocals::shifted_down(const Divisor& d, const x86::Vec& a) {
  const x86::Vec by = broadcast(d, Type::kInt, offsetof(Reciprocal, shift)).v;
  const x86::Vec out = lanes_.new_int();
  if (lanes_.isa() == Isa::kAvx512) {
    cc_.vpsravq(out, a, by);
    return out;
  }
  cc_.vpxor(out, a, lanes_.constant_int(INT64_MIN).v);
  cc_.vpsrlvq(out, out, by);
  cc_.vpsubq(out, out, broadcast(d, Type::kInt, offsetof(Reciprocal, bias)).v);
  return out;
}

// -1 in negative lanes, else 0.
x86::Vec Reciprocals::signs(const x86::Vec& a) {
  const x86::Vec out = lanes_.new_int();
  if (lanes_.isa() == Isa::kAvx512) {
    cc_.vpsraq(out, a, imm(63));
    return out;
  }
  const x86::Vec zero = lanes_.new_int();
  cc_.vpxor(zero, zero, zero);
  cc_.vpcmpgtq(out, zero, a);
  return out;
}

x86::Vec Reciprocals::logic(asmjit::InstId vex, asmjit::InstId evex, const x86::Vec& a, const x86::Vec& b) {
  const x86::Vec out = lanes_.new_int();
  cc_.emit(lanes_.isa() == Isa::kAvx512 ? evex : vex, out, a, b);
  return out;
}

}  // namespace nvm::vm::cpu
