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
    case Storage::kI8: return int_bytes_ == 1 ? load_int(at) : load_widened(*this, 1, at);
    case Storage::kI32: return int_bytes_ == 4 ? load_int(at) : load_widened(*this, 4, at);
    case Storage::kI64: break;
  }
  return wide() ? load_int(at) : load_low(at);
}

Lane load_widened(Lanes& lanes, int bytes, const x86::Mem& at) {
  static constexpr ByWidth kOfBytes{0, x86::Inst::kIdVpmovsxbw, x86::Inst::kIdVpmovsxbd,
                                    x86::Inst::kIdVpmovsxbq};
  static constexpr ByWidth kOfWords{0, 0, x86::Inst::kIdVpmovsxwd, x86::Inst::kIdVpmovsxwq};
  static constexpr ByWidth kOfHalves{0, 0, 0, x86::Inst::kIdVpmovsxdq};
  const x86::Vec d = lanes.new_int();
  lanes.cc().emit(by_width(lanes, bytes == 1 ? kOfBytes : bytes == 2 ? kOfWords : kOfHalves), d, at);
  return lanes.of(Type::kInt, d);
}

void store_widened(Lanes& lanes, Storage storage, const x86::Mem& at, const Lane& value, bool streaming) {
  x86::Compiler& cc = lanes.cc();
  const bool long_vectors = lanes.isa() == Isa::kAvx512;
  const int vector = long_vectors ? 64 : 32;  // bytes
  const auto to = static_cast<int>(storage_bytes(storage));
  const x86::Mem cells = cc.newStack(static_cast<std::uint32_t>(vector), 64);
  long_vectors ? cc.vmovdqu64(cells, value.v) : cc.vmovdqu(cells, value.v);
  const std::unique_ptr<Lanes> wider =
      long_vectors ? make_avx512_lanes(cc, vector / to, to) : make_avx2_lanes(cc, vector / to, to);
  for (int done = 0; done < lanes.count(); done += wider->count()) {
    const Lane part = load_widened(*wider, lanes.int_bytes(), cells.cloneAdjusted(done * lanes.int_bytes()));
    wider->store(storage, at.cloneAdjusted(done * to), part, streaming);
  }
}

x86::Vec new_vector(x86::Compiler& cc, int bytes) {
  if (bytes == 64) return cc.newZmm();
  if (bytes == 32) return cc.newYmm();
  return cc.newXmm();
}

std::unique_ptr<Lanes> make_lanes(x86::Compiler& cc, Isa isa, IntBits bits) {
  const int bytes = bits == IntBits::k64 ? 8 : 4;
  return isa == Isa::kAvx512 ? make_avx512_lanes(cc, lanes_of(isa), bytes)
                             : make_avx2_lanes(cc, lanes_of(isa), bytes);
}

std::unique_ptr<Lanes> make_narrow_lanes(x86::Compiler& cc, Isa isa, int int_bytes) {
  return isa == Isa::kAvx512 ? make_avx512_lanes(cc, 64 / int_bytes, int_bytes)
                             : make_avx2_lanes(cc, 32 / int_bytes, int_bytes);
}

Lane load_mask(Lanes& lanes, const x86::Mem& at) {
  if (lanes.isa() == Isa::kAvx512) {
    const x86::KReg k = lanes.cc().newKb();
    lanes.cc().kmovb(k, at);
    return Lane{Type::kBool, {}, k};
  }
  const x86::Vec v = lanes.cc().newYmm();
  lanes.cc().vmovdqu(v, at);
  return lanes.of(Type::kBool, v);
}

Lane Lanes::broadcast(Type type, const x86::Mem& at) {
  if (type == Type::kBool) return broadcast_bool(at);
  if (type == Type::kFloat) {
    const x86::Vec d = new_float();
    cc_.vbroadcastsd(d, at);
    return of(type, d);
  }
  const x86::Vec d = new_int();
  cc_.emit(by_width(*this, {x86::Inst::kIdVpbroadcastb, x86::Inst::kIdVpbroadcastw,
                            x86::Inst::kIdVpbroadcastd, x86::Inst::kIdVpbroadcastq}),
           d, at);
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

Lane Lanes::lane_numbers() {
  constexpr std::int64_t kWide[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  constexpr std::int32_t kNarrow[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const auto lanes = static_cast<std::size_t>(count());
  const x86::Mem iota = wide() ? cc_.newConst(asmjit::ConstPoolScope::kLocal, kWide, lanes * 8)
                               : cc_.newConst(asmjit::ConstPoolScope::kLocal, kNarrow, lanes * 4);
  return load(wide() ? Storage::kI64 : Storage::kI32, iota);
}

Lane Lanes::count_up(const x86::Mem& start) { return add_int(broadcast(Type::kInt, start), lane_numbers()); }

Lane like(Lanes& lanes, const Lane& lane) {
  if (lane.k.isValid()) return {lane.type, {}, lanes.cc().newKb()};
  if (lane.type == Type::kBool) return lanes.of(lane.type, lanes.new_float());
  return lanes.of(lane.type, lane.type == Type::kInt ? lanes.new_int() : lanes.new_float());
}

void move(Lanes& lanes, const Lane& to, const Lane& from) {
  from.k.isValid() ? lanes.cc().kmovb(to.k, from.k) : lanes.cc().vmovaps(to.v, from.v);
}

void move_where(Lanes& lanes, const Lane& flag, const Lane& to, const Lane& from) {
  if (lanes.isa() != Isa::kAvx512 || to.type == Type::kBool)
    return move(lanes, to, lanes.select(flag, from, to));
  const bool eight = to.type == Type::kFloat || lanes.wide();
  lanes.cc().k(flag.k).emit(eight ? x86::Inst::kIdVmovdqa64 : x86::Inst::kIdVmovdqa32, to.v, from.v);
}

void apply_where(Lanes& lanes, const Lane& flag, const Lane& to, Scalar scalar, const Lane* args) {
  const bool real = args[0].type == Type::kFloat, wide = lanes.wide();
  asmjit::InstId inst = asmjit::BaseInst::kIdNone;
  if (real && scalar == Scalar::kAdd) inst = x86::Inst::kIdVaddpd;
  if (real && scalar == Scalar::kSub) inst = x86::Inst::kIdVsubpd;
  if (real && scalar == Scalar::kMul) inst = x86::Inst::kIdVmulpd;
  if (!real && scalar == Scalar::kAdd) inst = wide ? x86::Inst::kIdVpaddq : x86::Inst::kIdVpaddd;
  if (!real && scalar == Scalar::kSub) inst = wide ? x86::Inst::kIdVpsubq : x86::Inst::kIdVpsubd;
  if (lanes.isa() == Isa::kAvx512 && inst != asmjit::BaseInst::kIdNone)
    lanes.cc().k(flag.k).emit(inst, to.v, args[0].v, args[1].v);
  else
    move_where(lanes, flag, to, emit_scalar(lanes, scalar, args));
}

Lane everywhere(Lanes& lanes, Storage storage, const x86::Mem& at) {
  x86::Compiler& cc = lanes.cc();
  if (storage == Storage::kF64) return lanes.broadcast(Type::kFloat, at);
  if (storage == Storage::kI64) return lanes.broadcast(Type::kInt, at);
  const x86::Gp element = cc.newInt64();
  x86::Mem narrow = at;
  narrow.setSize(static_cast<std::uint32_t>(storage_bytes(storage)));
  storage == Storage::kI32 ? cc.movsxd(element, narrow) : cc.movsx(element, narrow);
  const x86::Mem cell = cc.newStack(8, 8);
  cc.mov(cell, element);
  return lanes.broadcast(Type::kInt, cell);
}

Lane Lanes::gather_near(Storage storage, const x86::Gp& base, const Lane& index, const Lane& on, bool same) {
  const asmjit::Label scattered = cc_.newLabel();
  const asmjit::Label done = cc_.newLabel();
  const Lane d = storage == Storage::kF64 ? of(Type::kFloat, new_float()) : of(Type::kInt, new_int());
  Lane near = on;
  if (!same) {
    const Lane first = of(Type::kInt, new_int());
    wide() ? cc_.vpbroadcastq(first.v, index.v.xmm()) : cc_.vpbroadcastd(first.v, index.v.xmm());
    near = and_bool(compare(Compare::kEq, add_int(first, lane_numbers()), index), on);
  }
  jump_unless_all(near, scattered);
  const x86::Gp start = start_of(index);
  const std::uint32_t scale = storage_bytes(storage) == 8 ? 3 : storage_bytes(storage) == 4 ? 2 : 0;
  const x86::Mem at = x86::ptr(base, start, scale);
  cc_.vmovaps(d.v, (same ? everywhere(*this, storage, at) : load(storage, at)).v);
  cc_.jmp(done);
  cc_.bind(scattered);
  cc_.vmovaps(d.v, gather(storage, base, index, on).v);
  cc_.bind(done);
  return d;
}

// From a fresh register: vmovq has another form, whose operand may stand in memory, and the register
// allocator would take that for a spilled one.
x86::Gp Lanes::start_of(const Lane& index) {
  const x86::Gp start = cc_.newInt64();
  const x86::Xmm low = cc_.newXmm();
  cc_.vmovaps(low, index.v.xmm());
  wide() ? cc_.vmovq(start, low) : cc_.vmovd(start.r32(), low);
  return start;
}

Lane int_op(Lanes& lanes, const ByWidth& inst, const Lane& a, const Lane& b) {
  const x86::Vec d = lanes.new_int();
  lanes.cc().emit(by_width(lanes, inst), d, a.v, b.v);
  return lanes.of(Type::kInt, d);
}

Lane Lanes::add_int(const Lane& a, const Lane& b) {
  return int_op(
      *this, {x86::Inst::kIdVpaddb, x86::Inst::kIdVpaddw, x86::Inst::kIdVpaddd, x86::Inst::kIdVpaddq}, a, b);
}

Lane Lanes::sub_int(const Lane& a, const Lane& b) {
  return int_op(
      *this, {x86::Inst::kIdVpsubb, x86::Inst::kIdVpsubw, x86::Inst::kIdVpsubd, x86::Inst::kIdVpsubq}, a, b);
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
