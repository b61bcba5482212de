#include "vm/cpu/codegen/lanes.h"

#include <bit>
#include <cstring>

namespace nvm::vm::cpu {

Lane Lanes::load(Storage storage, const x86::Mem& at) {
  switch (storage) {
    case Storage::kF64: {
      const x86::Vec d = new_float();
      cc_.vmovupd(d, at);
      return of(Type::kFloat, d);
    }
    case Storage::kB8: return load_bool(at);
    case Storage::kI8: {
      const x86::Vec d = new_int();
      wide() ? cc_.vpmovsxbq(d, at) : cc_.vpmovsxbd(d, at);
      return of(Type::kInt, d);
    }
    case Storage::kI32: {
      if (!wide()) return load_int(at);
      const x86::Vec d = new_int();
      cc_.vpmovsxdq(d, at);
      return of(Type::kInt, d);
    }
    case Storage::kI64: break;
  }
  return wide() ? load_int(at) : load_low(at);
}

Lane Lanes::broadcast(Type type, const x86::Mem& at) {
  if (type == Type::kBool) return broadcast_bool(at);
  if (type == Type::kFloat) {
    const x86::Vec d = new_float();
    cc_.vbroadcastsd(d, at);
    return of(type, d);
  }
  const x86::Vec d = new_int();
  wide() ? cc_.vpbroadcastq(d, at) : cc_.vpbroadcastd(d, at);
  return of(type, d);
}

Lane Lanes::divide_narrow(const Lane& a, const Lane& b, bool remainder) {
  const x86::Vec q = new_float();
  cc_.vdivpd(q, to_float(a).v, to_float(b).v);
  const Lane quotient = to_int(of(Type::kFloat, q));
  return remainder ? sub_int(a, mul_int(quotient, b)) : quotient;
}

Lane Lanes::constant_int(std::int64_t v) {
  return broadcast(Type::kInt, cc_.newInt64Const(asmjit::ConstPoolScope::kLocal, v));
}

Lane Lanes::constant_float(double v) {
  return broadcast(Type::kFloat, cc_.newDoubleConst(asmjit::ConstPoolScope::kLocal, v));
}

Lane Lanes::constant_bool(bool v) {
  const Lane yes = all_true();
  return v ? yes : and_not_bool(yes, yes);
}

Lane Lanes::count_up(const x86::Mem& start) {
  constexpr std::int64_t kWide[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  constexpr std::int32_t kNarrow[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto lanes = static_cast<std::size_t>(count());
  const x86::Mem iota = wide() ? cc_.newConst(asmjit::ConstPoolScope::kLocal, kWide, lanes * 8)
                               : cc_.newConst(asmjit::ConstPoolScope::kLocal, kNarrow, lanes * 4);
  return add_int(broadcast(Type::kInt, start), load(wide() ? Storage::kI64 : Storage::kI32, iota));
}

Lane Lanes::add_int(const Lane& a, const Lane& b) {
  const x86::Vec d = new_int();
  wide() ? cc_.vpaddq(d, a.v, b.v) : cc_.vpaddd(d, a.v, b.v);
  return of(Type::kInt, d);
}

Lane Lanes::sub_int(const Lane& a, const Lane& b) {
  const x86::Vec d = new_int();
  wide() ? cc_.vpsubq(d, a.v, b.v) : cc_.vpsubd(d, a.v, b.v);
  return of(Type::kInt, d);
}

Lane Lanes::call(const void* function, const Lane& a) {
  const auto vector = isa() == Isa::kAvx512 ? asmjit::TypeId::kFloat64x8 : asmjit::TypeId::kFloat64x4;
  asmjit::FuncSignatureBuilder signature(asmjit::CallConvId::kHost);
  signature.setRet(vector);
  signature.addArg(vector);
  const x86::Vec d = new_float();
  asmjit::InvokeNode* node = nullptr;
  cc_.invoke(&node, std::bit_cast<std::uint64_t>(function), signature);
  node->setArg(0, a.v);
  node->setRet(0, d);
  return of(Type::kFloat, d);
}

}  // namespace nvm::vm::cpu
