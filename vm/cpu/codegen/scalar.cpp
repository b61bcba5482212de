// Scalar definitions: one function per row of the table, indexed by it.
#include <iterator>

#include "bytecode/base/check.h"
#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/routines.h"

namespace nvm::vm::cpu {

namespace {

using Rule = Lane (*)(Lanes&, const Lane*);
using FloatInst = asmjit::InstId;

Lane float_op(Lanes& m, FloatInst inst, const Lane* v) {
  const x86::Vec d = m.new_float();
  m.cc().emit(inst, d, v[0].v, v[1].v);
  return m.of(Type::kFloat, d);
}

// The bit pattern is what matters: one instruction serves both widths of INT on AVX2; AVX-512 needs its own
// name, which the assembler picks by the operand size.
Lane bit_op(Lanes& m, FloatInst vex, FloatInst evex, const Lane* v) {
  const x86::Vec d = m.new_int();
  m.cc().emit(m.isa() == Isa::kAvx512 ? evex : vex, d, v[0].v, v[1].v);
  return m.of(Type::kInt, d);
}

bool is_float(const Lane* v) { return v[0].type == Type::kFloat; }
bool is_bool(const Lane* v) { return v[0].type == Type::kBool; }

Lane emit_kAdd(Lanes& m, const Lane* v) {
  return is_float(v) ? float_op(m, x86::Inst::kIdVaddpd, v) : m.add_int(v[0], v[1]);
}
Lane emit_kSub(Lanes& m, const Lane* v) {
  return is_float(v) ? float_op(m, x86::Inst::kIdVsubpd, v) : m.sub_int(v[0], v[1]);
}
Lane emit_kMul(Lanes& m, const Lane* v) {
  return is_float(v) ? float_op(m, x86::Inst::kIdVmulpd, v) : m.mul_int(v[0], v[1]);
}

// Traps on b = 0 and on least / -1; those lanes then divide by one.
Lane divide(Lanes& m, const Lane* v, bool remainder) {
  const Lane zero = m.compare(Compare::kEq, v[1], m.constant_int(0));
  const Lane least = m.constant_int(m.wide() ? INT64_MIN : INT32_MIN);
  const Lane overflow =
      m.and_bool(m.compare(Compare::kEq, v[0], least), m.compare(Compare::kEq, v[1], m.constant_int(-1)));
  const Lane bad = m.or_bool(zero, overflow);
  m.trap_where(bad);
  return m.divide_int(v[0], m.select(bad, m.constant_int(1), v[1]), remainder);
}
Lane emit_kDiv(Lanes& m, const Lane* v) {
  return is_float(v) ? float_op(m, x86::Inst::kIdVdivpd, v) : divide(m, v, false);
}
Lane emit_kRem(Lanes& m, const Lane* v) { return divide(m, v, true); }

Lane emit_kLt(Lanes& m, const Lane* v) {
  return is_bool(v) ? m.and_not_bool(v[1], v[0]) : m.compare(Compare::kLt, v[0], v[1]);
}
Lane emit_kLe(Lanes& m, const Lane* v) {
  return is_bool(v) ? m.not_bool(m.and_not_bool(v[0], v[1])) : m.compare(Compare::kLe, v[0], v[1]);
}
Lane emit_kGt(Lanes& m, const Lane* v) {
  return is_bool(v) ? m.and_not_bool(v[0], v[1]) : m.compare(Compare::kGt, v[0], v[1]);
}
Lane emit_kGe(Lanes& m, const Lane* v) {
  return is_bool(v) ? m.not_bool(m.and_not_bool(v[1], v[0])) : m.compare(Compare::kGe, v[0], v[1]);
}
Lane emit_kEq(Lanes& m, const Lane* v) {
  return is_bool(v) ? m.not_bool(m.xor_bool(v[0], v[1])) : m.compare(Compare::kEq, v[0], v[1]);
}
Lane emit_kNe(Lanes& m, const Lane* v) {
  return is_bool(v) ? m.xor_bool(v[0], v[1]) : m.compare(Compare::kNe, v[0], v[1]);
}

Lane emit_kNot(Lanes& m, const Lane* v) {
  if (is_bool(v)) return m.not_bool(v[0]);
  const Lane both[2] = {v[0], m.constant_int(-1)};
  return bit_op(m, x86::Inst::kIdVpxor, x86::Inst::kIdVpxord, both);
}
Lane emit_kAnd(Lanes& m, const Lane* v) {
  return is_bool(v) ? m.and_bool(v[0], v[1]) : bit_op(m, x86::Inst::kIdVpand, x86::Inst::kIdVpandd, v);
}
Lane emit_kOr(Lanes& m, const Lane* v) {
  return is_bool(v) ? m.or_bool(v[0], v[1]) : bit_op(m, x86::Inst::kIdVpor, x86::Inst::kIdVpord, v);
}
Lane emit_kXor(Lanes& m, const Lane* v) {
  return is_bool(v) ? m.xor_bool(v[0], v[1]) : bit_op(m, x86::Inst::kIdVpxor, x86::Inst::kIdVpxord, v);
}
Lane emit_kShl(Lanes& m, const Lane* v) { return m.shift(v[0], v[1], true); }
Lane emit_kShr(Lanes& m, const Lane* v) { return m.shift(v[0], v[1], false); }
Lane emit_kSelect(Lanes& m, const Lane* v) { return m.select(v[0], v[1], v[2]); }

// MAXPD and MINPD yield the second operand of equals and of unordered, as the table asks.
Lane emit_kMax(Lanes& m, const Lane* v) {
  if (is_bool(v)) return m.or_bool(v[0], v[1]);
  return is_float(v) ? float_op(m, x86::Inst::kIdVmaxpd, v) : m.max_int(v[0], v[1]);
}
Lane emit_kMin(Lanes& m, const Lane* v) {
  if (is_bool(v)) return m.and_bool(v[0], v[1]);
  return is_float(v) ? float_op(m, x86::Inst::kIdVminpd, v) : m.min_int(v[0], v[1]);
}

Lane emit_kFloor(Lanes& m, const Lane* v) { return m.to_int(m.round(v[0], 1)); }
Lane emit_kCeil(Lanes& m, const Lane* v) { return m.to_int(m.round(v[0], 2)); }
Lane emit_kTrunc(Lanes& m, const Lane* v) { return m.to_int(v[0]); }
Lane emit_kRound(Lanes& m, const Lane* v) {
  const Lane both[2] = {v[0], m.constant_float(0.5)};
  return m.to_int(float_op(m, x86::Inst::kIdVaddpd, both));
}
Lane emit_kItoF(Lanes& m, const Lane* v) { return m.to_float(v[0]); }
Lane emit_kItoB(Lanes& m, const Lane* v) { return m.compare(Compare::kNe, v[0], m.constant_int(0)); }
Lane emit_kBtoI(Lanes& m, const Lane* v) { return m.bool_to_int(v[0]); }
Lane emit_kSqrt(Lanes& m, const Lane* v) {
  const x86::Vec d = m.new_float();
  m.cc().vsqrtpd(d, v[0].v);
  return m.of(Type::kFloat, d);
}

#define ELEMENTARY(id, name)                                          \
  Lane emit_##id(Lanes& m, const Lane* v) {                           \
    return m.call(routines_of(m.isa()).elementary(Scalar::id), v[0]); \
  }
#include "vm/simd/elementary.def"

constexpr Rule kRules[] = {
#define SCALAR(id, ...) &emit_##id,
#include "bytecode/table/scalar.def"
};
static_assert(std::size(kRules) == static_cast<std::size_t>(Scalar::kNoScalar));

}  // namespace

Lane emit_scalar(Lanes& lanes, Scalar scalar, const Lane* args) {
  NVM_CHECK(scalar != Scalar::kNoScalar, "a scalar operation to emit");
  return kRules[static_cast<std::size_t>(scalar)](lanes, args);
}

}  // namespace nvm::vm::cpu
