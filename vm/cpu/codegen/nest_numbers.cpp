#include "vm/cpu/codegen/nest_numbers.h"

#include <bit>
#include <cstddef>

#include "bytecode/base/at.h"
#include "bytecode/base/stack.h"
#include "bytecode/table/op_kind.h"
#include "vm/cpu/codegen/emit_errors.h"
#include "vm/cpu/codegen/nest.h"
#include "vm/cpu/routines.h"

namespace nvm::vm::cpu {

namespace {

using asmjit::imm;
using soac::BodyInst;
using soac::kNone;
using soac::Pull;

std::optional<x86::CondCode> condition(Scalar s) {
  switch (s) {
    case Scalar::kLt: return x86::CondCode::kL;
    case Scalar::kLe: return x86::CondCode::kLE;
    case Scalar::kGt: return x86::CondCode::kG;
    case Scalar::kGe: return x86::CondCode::kGE;
    case Scalar::kEq: return x86::CondCode::kE;
    case Scalar::kNe: return x86::CondCode::kNE;
    default: return std::nullopt;
  }
}

x86::CondCode negated(x86::CondCode c) { return x86::negateCond(c); }

}  // namespace

x86::Mem NestNumbers::slot(std::size_t number) const {
  return x86::qword_ptr(args_, static_cast<std::int32_t>(offsetof(NestArgs, slots) + 8 * number));
}

x86::Gp NestNumbers::get(std::int32_t v) {
  if (const auto found = known_.find(v); found != known_.end()) return found->second;
  const x86::Gp made = compute(inst(v));
  known_.emplace(v, made);
  return made;
}

x86::Gp NestNumbers::compute(const BodyInst& in) {
  check_stack();
  const x86::Gp d = cc_.newInt64();
  switch (in.pull) {
    case Pull::kConst:
      cc_.mov(d, imm(in.type == Type::kFloat ? std::bit_cast<std::int64_t>(in.real) : in.imm));
      return d;
    case Pull::kUniform: cc_.mov(d, cell(in.var)); return d;
    case Pull::kGather: return gather(in);
    case Pull::kScanned: return fold(in);
    default: break;
  }
  if (const auto made = apply(in)) return *made;
  return by_lanes(in);
}

void NestNumbers::load(const x86::Gp& to, Storage storage, x86::Mem from) {
  from.setSize(static_cast<std::uint32_t>(storage_bytes(storage)));
  switch (storage) {
    case Storage::kI8: cc_.movsx(to, from); return;
    case Storage::kB8: cc_.movzx(to.r32(), from); return;
    case Storage::kI32: cc_.movsxd(to, from); return;
    case Storage::kI64:
    case Storage::kF64: cc_.mov(to, from); return;
  }
}

x86::Gp NestNumbers::gather(const BodyInst& in) {
  const std::int32_t list = nest_.inputs[at(in.var)].parameter;
  const x86::Gp index = get(in.a), d = cc_.newInt64();
  cc_.cmp(index, cell(nest_.find(plan::NestInput::What::kLength, nest_.under[at(list)])));
  cc_.jae(failed_);
  const Storage storage = storage_.parameters[at(list)];
  cc_.mov(d, cell(in.var));
  const auto scale = static_cast<std::uint32_t>(std::countr_zero(storage_bytes(storage)));
  load(d, storage, x86::ptr(d, index, scale));
  return d;
}

// Of a list that stands in memory, by the routine that folds segments elsewhere: for FLOAT the order shows.
x86::Gp NestNumbers::fold(const BodyInst& in) {
  const plan::NestList& list = nest_.lists[at(in.a)];
  const bool given = nest_.given(list);
  const std::int32_t input = given ? inst(list.value).var : kNone;
  const Storage storage =
      given ? storage_.parameters[at(nest_.inputs[at(input)].parameter)] : storage_.lists[at(in.a)];
  const WholeFold routine = routines_of(lanes_.isa()).fold_whole(in.scalar, storage);
  if (routine == nullptr) throw EmitError{"a fold that there is no routine for"};
  const x86::Gp n = get(list.length), from = cc_.newIntPtr(), d = cc_.newInt64();
  cc_.mov(from, given ? cell(input) : slot(at(in.a)));
  asmjit::InvokeNode* call = nullptr;
  need(cc_.invoke(&call, std::bit_cast<std::uint64_t>(routine),
                  asmjit::FuncSignatureT<std::uint64_t, const void*, std::int64_t>()));
  call->setArg(0, from);
  call->setArg(1, n);
  call->setRet(0, d);
  return d;
}

// Toward zero.
x86::Gp NestNumbers::divide_by_power(const x86::Gp& a, std::int32_t bits) {
  const x86::Gp d = cc_.newInt64();
  cc_.mov(d, a);
  if (bits == 0) return d;
  cc_.sar(d, 63);
  cc_.shr(d, 64 - bits);
  cc_.add(d, a);
  cc_.sar(d, bits);
  return d;
}

std::optional<x86::Gp> NestNumbers::apply(const BodyInst& in) {
  if (in.type == Type::kFloat || inst(in.a).type == Type::kFloat) return std::nullopt;
  const bool flags = inst(in.a).type == Type::kBool;
  if (in.scalar == Scalar::kBtoI) return get(in.a);
  if (in.scalar == Scalar::kDiv) {
    const BodyInst& by = inst(in.b);
    if (by.pull != Pull::kConst || by.imm <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(by.imm)))
      return std::nullopt;
    return divide_by_power(get(in.a), std::countr_zero(static_cast<std::uint64_t>(by.imm)));
  }
  const auto compares = condition(in.scalar);
  const bool computes = in.scalar == Scalar::kAdd || in.scalar == Scalar::kSub || in.scalar == Scalar::kMul ||
                        in.scalar == Scalar::kAnd || in.scalar == Scalar::kOr || in.scalar == Scalar::kXor ||
                        (in.scalar == Scalar::kNot && flags);
  if (!compares && !computes) return std::nullopt;
  const x86::Gp a = get(in.a), d = cc_.newInt64();
  if (in.scalar == Scalar::kNot) {
    cc_.mov(d, a);
    cc_.xor_(d, 1);
    return d;
  }
  const x86::Gp b = get(in.b);
  if (compares) {
    cc_.cmp(a, b);
    cc_.set(*compares, d.r8());
    cc_.movzx(d.r32(), d.r8());
    return d;
  }
  cc_.mov(d, a);
  switch (in.scalar) {
    case Scalar::kAdd: cc_.add(d, b); break;
    case Scalar::kSub: cc_.sub(d, b); break;
    case Scalar::kMul: cc_.imul(d, b); break;
    case Scalar::kAnd: cc_.and_(d, b); break;
    case Scalar::kOr: cc_.or_(d, b); break;
    default: cc_.xor_(d, b); break;
  }
  return d;
}

// The same number in all lanes.
x86::Gp NestNumbers::by_lanes(const BodyInst& in) {
  Lane args[3];
  const std::int32_t of[3] = {in.a, in.b, in.c};
  for (std::size_t i = 0; i < 3; ++i)
    if (of[i] != kNone) args[i] = in_lanes(of[i]);
  const Lane trapped = lanes_.constant_bool(false);
  lanes_.set_active(lanes_.all_true(), trapped);
  const Lane made = emit_scalar(lanes_, in.scalar, args);
  const x86::Gp d = cc_.newInt64();
  if (scalar_traps(in.scalar, inst(in.a).type)) {
    lanes_.any_to(d, trapped);
    cc_.test(d, d);
    cc_.jnz(failed_);
  }
  if (made.type == Type::kBool)
    lanes_.any_to(d, made);
  else
    cc_.mov(d, lanes_.start_of(made));
  return d;
}

Lane NestNumbers::in_lanes(std::int32_t v) {
  const x86::Gp number = get(v);
  const Type type = inst(v).type;
  const x86::Xmm one = cc_.newXmm();
  cc_.vmovq(one, number);
  const x86::Vec d = type == Type::kFloat ? lanes_.new_float() : lanes_.new_int();
  if (type == Type::kFloat)
    cc_.vbroadcastsd(d, one);
  else
    cc_.vpbroadcastq(d, one);
  const Lane all = lanes_.of(type == Type::kBool ? Type::kInt : type, d);
  return type == Type::kBool ? lanes_.compare(Compare::kNe, all, lanes_.constant_int(0)) : all;
}

void NestNumbers::jump_unless(std::int32_t flag, const asmjit::Label& to) {
  const BodyInst& in = inst(flag);
  const auto compares = in.pull == Pull::kApply && !has(flag) && inst(in.a).type != Type::kFloat
                            ? condition(in.scalar)
                            : std::nullopt;
  if (compares) {
    const x86::Gp a = get(in.a), b = get(in.b);
    cc_.cmp(a, b);
    cc_.j(negated(*compares), to);
    return;
  }
  const x86::Gp f = get(flag);
  cc_.test(f, f);
  cc_.jz(to);
}

}  // namespace nvm::vm::cpu
