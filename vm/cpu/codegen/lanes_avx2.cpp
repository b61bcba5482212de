// AVX2: masks are vectors of 64-bit lanes, 4 lanes, or of narrow ones. Division of 64-bit integers, and
// conversion of FLOATs from 2^51 on, go lane by lane through memory.
//
// Packing permutes by a table with a row for each of the 16 masks of four lanes.
#include <array>
#include <bit>
#include <cstddef>

#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/pack_table.h"

namespace nvm::vm::cpu {

namespace {

using asmjit::imm;

// Lane-by-lane helpers; a and b hold 4 lanes, the result replaces a.
void divide_lanes(std::int64_t* a, const std::int64_t* b) {
  for (int i = 0; i < 4; ++i) a[i] /= b[i];
}
void remainder_lanes(std::int64_t* a, const std::int64_t* b) {
  for (int i = 0; i < 4; ++i) a[i] %= b[i];
}

// The low byte of each lane of 4 bytes.
constexpr std::uint8_t kPick[16] = {0,    4,    8,    12,   0x80, 0x80, 0x80, 0x80,
                                    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};

class Avx2Lanes final : public Lanes {
 public:
  using Lanes::Lanes;
  [[nodiscard]] Isa isa() const override { return Isa::kAvx2; }
  [[nodiscard]] x86::Vec new_float() override { return cc_.newYmmPd(); }
  [[nodiscard]] x86::Vec new_int() override { return new_vector(cc_, count_ * int_bytes_); }

  void store(Storage storage, const x86::Mem& at, const Lane& value, bool streaming) override {
    switch (storage) {
      case Storage::kF64: streaming ? cc_.vmovntpd(at, value.v) : cc_.vmovupd(at, value.v); return;
      case Storage::kI64:
        if (is_narrow(*this)) return store_widened(*this, storage, at, value, streaming);
        return store_whole(at, wide() ? value.v : widened(value.v), streaming);
      case Storage::kI32:
        if (is_narrow(*this) && int_bytes_ < 4) return store_widened(*this, storage, at, value, streaming);
        return store_whole(at, wide() ? low_halves(value.v) : value.v, streaming);
      case Storage::kI8:
        if (is_narrow(*this)) return store_low_bytes(cc_, int_bytes_, at, value.v);
        return store_bytes(at, wide() ? low_halves(value.v) : value.v);
      case Storage::kB8: {
        if (is_narrow(*this)) return store_low_bytes(cc_, int_bytes_, at, bool_to_int(value).v);
        const x86::Xmm flags = cc_.newXmm();
        cc_.vpsrld(flags, low_halves(value.v), imm(31));
        return store_bytes(at, flags);
      }
    }
  }

  // Where all lanes are on, four loads: what many processors make of a gather is slower.
  [[nodiscard]] Lane gather(Storage storage, const x86::Gp& base, const Lane& index,
                            const Lane& on) override {
    const bool eight = storage_bytes(storage) == 8;
    const x86::Vec d = storage == Storage::kF64 ? new_float() : eight ? new_mask() : x86::Vec(cc_.newXmm());
    const asmjit::Label some = cc_.newLabel();
    const asmjit::Label done = cc_.newLabel();
    jump_unless_all(on, some);
    eight ? load_eights(d, base, index) : load_fours(d, storage, base, index);
    cc_.jmp(done);
    cc_.bind(some);
    gather_some(d, storage, base, index, on);
    cc_.bind(done);
    if (storage == Storage::kF64) return of(Type::kFloat, d);
    if (eight) return of(Type::kInt, wide() ? d : low_halves(d));
    const x86::Xmm x = cc_.newXmm();
    cc_.vmovdqa(x, d);
    if (storage != Storage::kI32) {  // of 4 bytes the lowest is meant
      cc_.vpslld(x, x, imm(24));
      cc_.vpsrad(x, x, imm(24));
    }
    if (storage == Storage::kB8) return nonzero(widened(x));
    return of(Type::kInt, wide() ? widened(x) : x86::Vec(x));
  }

  [[nodiscard]] Lane all_true() override {
    const x86::Vec d = new_mask();
    cc_.vpcmpeqq(d, d, d);
    return of(Type::kBool, d);
  }
  [[nodiscard]] Lane and_bool(const Lane& a, const Lane& b) override {
    const x86::Vec d = new_mask();
    cc_.vpand(d, a.v, b.v);
    return of(Type::kBool, d);
  }
  [[nodiscard]] Lane or_bool(const Lane& a, const Lane& b) override {
    const x86::Vec d = new_mask();
    cc_.vpor(d, a.v, b.v);
    return of(Type::kBool, d);
  }
  [[nodiscard]] Lane xor_bool(const Lane& a, const Lane& b) override {
    const x86::Vec d = new_mask();
    cc_.vpxor(d, a.v, b.v);
    return of(Type::kBool, d);
  }
  [[nodiscard]] Lane and_not_bool(const Lane& a, const Lane& b) override {
    const x86::Vec d = new_mask();
    cc_.vpandn(d, b.v, a.v);
    return of(Type::kBool, d);
  }
  void merge_true(const Lane& into, const Lane& more) override { cc_.vpor(into.v, into.v, more.v); }
  void any_to(const x86::Gp& out, const Lane& a) override {
    is_narrow(*this) ? cc_.vpmovmskb(out.r32(), a.v) : cc_.vmovmskpd(out.r32(), a.v);
  }
  void jump_unless_all(const Lane& a, const asmjit::Label& to) override {
    const x86::Gp bits = cc_.newGpd();
    any_to(bits, a);
    cc_.cmp(bits, imm(is_narrow(*this) ? -1 : 15));
    cc_.jne(to);
  }

  [[nodiscard]] Lane mul_int(const Lane& a, const Lane& b) override {
    if (!wide()) return int_op(*this, {0, x86::Inst::kIdVpmullw, x86::Inst::kIdVpmulld, 0}, a, b);
    const x86::Vec d = new_int();
    // low * low + ((low * high + high * low) << 32)
    const x86::Vec swapped = new_int();
    const x86::Vec cross = new_int();
    const x86::Vec shifted = new_int();
    cc_.vpshufd(swapped, b.v, imm(0xB1));
    cc_.vpmulld(cross, a.v, swapped);
    cc_.vpshufd(shifted, cross, imm(0xB1));
    cc_.vpaddd(cross, cross, shifted);
    cc_.vpsllq(cross, cross, imm(32));
    cc_.vpmuludq(d, a.v, b.v);
    cc_.vpaddq(d, d, cross);
    return of(Type::kInt, d);
  }
  [[nodiscard]] Lane shift(const Lane& a, const Lane& by, bool left) override {
    const x86::Vec d = new_int();
    const x86::Vec n = new_int();
    cc_.vpand(n, by.v, constant_int(wide() ? 63 : 31).v);
    if (!wide()) {
      left ? cc_.vpsllvd(d, a.v, n) : cc_.vpsravd(d, a.v, n);
    } else if (left) {
      cc_.vpsllvq(d, a.v, n);
    } else {  // sign fill of the logical shift: (x ^ m) - m with m the shifted sign bit
      const x86::Vec m = new_int();
      cc_.vpsrlvq(m, constant_int(INT64_MIN).v, n);
      cc_.vpsrlvq(d, a.v, n);
      cc_.vpxor(d, d, m);
      cc_.vpsubq(d, d, m);
    }
    return of(Type::kInt, d);
  }
  [[nodiscard]] Lane max_int(const Lane& a, const Lane& b) override {
    if (wide()) return select(compare(Compare::kGt, a, b), a, b);
    return int_op(*this, {x86::Inst::kIdVpmaxsb, x86::Inst::kIdVpmaxsw, x86::Inst::kIdVpmaxsd, 0}, a, b);
  }
  [[nodiscard]] Lane min_int(const Lane& a, const Lane& b) override {
    if (wide()) return select(compare(Compare::kLt, a, b), a, b);
    return int_op(*this, {x86::Inst::kIdVpminsb, x86::Inst::kIdVpminsw, x86::Inst::kIdVpminsd, 0}, a, b);
  }
  [[nodiscard]] Lane divide_int(const Lane& a, const Lane& b, bool remainder) override {
    return wide() ? divide_in_memory(a, b, remainder) : divide_narrow(a, b, remainder);
  }
  [[nodiscard]] Lane below_unsigned(const Lane& a, const Lane& b) override {
    const Lane flip = constant_int(wide() ? INT64_MIN : INT32_MIN);
    const x86::Vec x = new_int();
    const x86::Vec y = new_int();
    cc_.vpxor(x, a.v, flip.v);
    cc_.vpxor(y, b.v, flip.v);
    return compare(Compare::kLt, of(Type::kInt, x), of(Type::kInt, y));
  }

  void prepare_packing() override {
    table_ = cc_.newIntPtr();
    cc_.mov(table_, imm(std::bit_cast<std::uint64_t>(&kPackTable)));
  }
  [[nodiscard]] KeptLanes kept(const Lane& flags) override {
    const KeptLanes kept{flags, cc_.newInt64(), cc_.newInt64()};
    if (is_narrow(*this)) {  // counted only
      cc_.vpmovmskb(kept.count.r32(), flags.v);
      cc_.popcnt(kept.count, kept.count);
      if (int_bytes_ > 1) cc_.shr(kept.count, int_bytes_ / 2);
      return kept;
    }
    cc_.vmovmskpd(kept.row.r32(), flags.v);
    cc_.popcnt(kept.count, kept.row);
    cc_.shl(kept.row, 4);
    return kept;
  }
  void store_kept(Storage storage, const x86::Mem& at, const Lane& value, const KeptLanes& kept) override {
    const bool eight = value.type != Type::kInt || wide();  // bytes of a lane
    if (storage == Storage::kI8 || storage == Storage::kB8) {
      x86::Vec low = eight ? low_halves(value.v) : value.v;
      if (value.type == Type::kBool) {
        const x86::Xmm one = cc_.newXmm();
        cc_.vpsrld(one, low, imm(31));
        low = one;
      }
      const x86::Xmm d = cc_.newXmm();
      cc_.vpshufb(d, low.xmm(), row(offsetof(PackTable, bytes), kept, 0));
      cc_.vmovd(at, d);
      return;
    }
    if (!eight) {
      // From a fresh register: another form of vpermilps takes its second operand from memory, and the
      // register allocator would use that for a spilled one.
      const x86::Xmm by = cc_.newXmm();
      const x86::Xmm from = cc_.newXmm();
      const x86::Xmm d = cc_.newXmm();
      cc_.vmovdqa(by, row(offsetof(PackTable, quads), kept, 0));
      cc_.vmovaps(from, value.v);
      cc_.vpermilps(d, from, by);
      storage == Storage::kI32 ? cc_.vmovdqu(at, d) : cc_.vmovdqu(at, widened(d));
      return;
    }
    const x86::Ymm by = cc_.newYmm();
    const x86::Ymm d = cc_.newYmm();
    const bool half = storage == Storage::kI32;
    half ? cc_.vmovdqa(by.xmm(), row(offsetof(PackTable, halves), kept, 0))
         : cc_.vmovdqa(by, row(offsetof(PackTable, pairs), kept, 1));
    cc_.vpermd(d, by, value.v);
    half ? cc_.vmovdqu(at, d.xmm()) : cc_.vmovdqu(at, d);
  }
  [[nodiscard]] Lane shifted(const Lane& a, const Lane& fill, int by) override {
    const x86::Vec d = new_int();
    if (!wide()) {
      cc_.vpalignr(d, a.v, fill.v, imm(16 - 4 * by));
      return of(Type::kInt, d);
    }
    cc_.vperm2i128(d, fill.v, a.v, imm(0x21));  // the upper half of fill, the lower of a
    if (by == 1) cc_.vpalignr(d, a.v, d, imm(8));
    return of(Type::kInt, d);
  }
  [[nodiscard]] Lane last(const Lane& a, const Lane&) override {
    const x86::Vec d = new_int();
    wide() ? cc_.vpermq(d, a.v, imm(0xFF)) : cc_.vpshufd(d, a.v, imm(0xFF));
    return of(Type::kInt, d);
  }
  void store_first(const x86::Mem& at, const Lane& a) override {
    wide() ? cc_.vmovq(at, a.v.xmm()) : cc_.vmovd(at, a.v.xmm());
  }

  [[nodiscard]] Lane compare(Compare how, const Lane& a, const Lane& b) override {
    static constexpr int kFloatCode[] = {0x11, 0x12, 0x1E, 0x1D, 0x00, 0x04};
    if (a.type == Type::kFloat) {
      const x86::Vec d = new_mask();
      cc_.vcmppd(d, a.v, b.v, imm(kFloatCode[static_cast<std::size_t>(how)]));
      return of(Type::kBool, d);
    }
    switch (how) {
      case Compare::kLt: return compared(kGreater, b, a);
      case Compare::kGt: return compared(kGreater, a, b);
      case Compare::kLe: return not_bool(compared(kGreater, a, b));
      case Compare::kGe: return not_bool(compared(kGreater, b, a));
      case Compare::kEq: return compared(kEqual, a, b);
      case Compare::kNe: break;
    }
    return not_bool(compared(kEqual, a, b));
  }
  [[nodiscard]] Lane select(const Lane& flag, const Lane& a, const Lane& b) override {
    if (is_narrow(*this)) {
      const x86::Vec d = new_mask();
      cc_.vpblendvb(d, b.v, a.v, flag.v);
      return of(a.type, d);
    }
    if (a.type == Type::kInt && !wide()) {
      const x86::Vec d = new_int();
      cc_.vblendvps(d, b.v, a.v, low_halves(flag.v));
      return of(Type::kInt, d);
    }
    const x86::Vec d = a.type == Type::kFloat ? new_float() : new_mask();
    cc_.vblendvpd(d, b.v, a.v, flag.v);
    return of(a.type, d);
  }
  [[nodiscard]] Lane bool_to_int(const Lane& a) override {
    if (is_narrow(*this)) return sub_int(constant_int(0), a);
    const x86::Vec d = new_int();
    wide() ? cc_.vpsrlq(d, a.v, imm(63)) : cc_.vpsrld(d, low_halves(a.v), imm(31));
    return of(Type::kInt, d);
  }
  [[nodiscard]] Lane to_int(const Lane& a) override {
    const x86::Vec d = new_int();
    if (!wide()) {
      cc_.vcvttpd2dq(d, a.v);
      return of(Type::kInt, d);
    }
    // Below 2^51 the sum with 1.5 * 2^52 has the integer in its low bits.
    const asmjit::Label large = cc_.newLabel();
    const asmjit::Label done = cc_.newLabel();
    const Lane whole = round(a, 3);
    const Lane magic = constant_float(0x1.8p52);
    const x86::Vec magnitude = new_float();
    cc_.vandpd(magnitude, whole.v, constant_int(INT64_MAX).v);
    jump_unless_all(compare(Compare::kLt, of(Type::kFloat, magnitude), constant_float(0x1p51)), large);
    const x86::Vec sum = new_float();
    cc_.vaddpd(sum, whole.v, magic.v);
    cc_.vpsubq(d, sum, magic.v);
    cc_.jmp(done);
    cc_.bind(large);
    const x86::Mem cells = cc_.newStack(32, 32);
    const x86::Gp one = cc_.newGpq();
    cc_.vmovupd(cells, a.v);
    for (int i = 0; i < 4; ++i) {
      cc_.vcvttsd2si(one, cell(cells, i));
      cc_.mov(cell(cells, i), one);
    }
    cc_.vmovdqu(d, cells);
    cc_.bind(done);
    return of(Type::kInt, d);
  }
  [[nodiscard]] Lane to_float(const Lane& a) override {
    const x86::Vec d = new_float();
    if (!wide()) {
      cc_.vcvtdq2pd(d, a.v);
      return of(Type::kFloat, d);
    }
    // The halves as 2^52 + low and 2^84 + 2^63 + high * 2^32; one rounding, of their sum.
    const x86::Vec low = new_int();
    const x86::Vec high = new_int();
    cc_.vpblendd(low, constant_int(0x4330'0000'0000'0000).v, a.v, imm(0x55));
    cc_.vpsrlq(high, a.v, imm(32));
    cc_.vpxor(high, high, constant_int(0x4530'0000'8000'0000).v);
    cc_.vsubpd(d, high, constant_int(0x4530'0000'8010'0000).v);
    cc_.vaddpd(d, d, low);
    return of(Type::kFloat, d);
  }
  [[nodiscard]] Lane round(const Lane& a, int mode) override {
    const x86::Vec d = new_float();
    cc_.vroundpd(d, a.v, imm(mode | 8));
    return of(Type::kFloat, d);
  }

 protected:
  [[nodiscard]] Lane load_bool(const x86::Mem& at) override {
    if (int_bytes_ == 1) return nonzero(load_int(at).v);
    const x86::Vec d = new_mask();
    const bool narrow = is_narrow(*this);
    cc_.emit(!narrow           ? x86::Inst::kIdVpmovzxbq
             : int_bytes_ == 2 ? x86::Inst::kIdVpmovzxbw
                               : x86::Inst::kIdVpmovzxbd,
             d, at);
    return nonzero(d);
  }
  [[nodiscard]] Lane load_int(const x86::Mem& at) override {
    const x86::Vec d = new_int();
    cc_.vmovdqu(d, at);
    return of(Type::kInt, d);
  }
  [[nodiscard]] Lane load_low(const x86::Mem& at) override {
    const x86::Vec whole = new_mask();
    cc_.vmovdqu(whole, at);
    return of(Type::kInt, low_halves(whole));
  }
  [[nodiscard]] Lane broadcast_bool(const x86::Mem& at) override {
    const x86::Vec cell = new_mask();
    cc_.vpbroadcastq(cell, at);
    const Lane d = of(Type::kBool, new_mask());
    const x86::Vec zero = new_mask();
    cc_.vpxor(zero, zero, zero);
    cc_.vpcmpeqq(d.v, cell, zero);
    return not_bool(d);
  }

 private:
  // The row of what is kept in the part of the table at `offset`; rows of 16 bytes doubled `twice` times.
  [[nodiscard]] x86::Mem row(std::size_t offset, const KeptLanes& kept, std::uint32_t twice) const {
    return x86::ptr(table_, kept.row, twice, static_cast<std::int32_t>(offset));
  }
  [[nodiscard]] x86::Vec new_mask() { return cc_.newYmm(); }
  // The indices, none negative.
  [[nodiscard]] std::array<x86::Gp, 4> split(const Lane& index) {
    std::array<x86::Gp, 4> each;
    for (x86::Gp& i : each) i = cc_.newInt64();
    const x86::Vec all = new_mask();  // a register, see start_of
    wide() ? cc_.vmovdqa(all, index.v) : cc_.vpmovzxdq(all, index.v);
    const x86::Xmm high = cc_.newXmm();
    cc_.vmovq(each[0], all.xmm());
    cc_.vpextrq(each[1], all.xmm(), imm(1));
    cc_.vextracti128(high, all, imm(1));
    cc_.vmovq(each[2], high);
    cc_.vpextrq(each[3], high, imm(1));
    return each;
  }
  void load_eights(const x86::Vec& d, const x86::Gp& base, const Lane& index) {
    const auto each = split(index);
    const x86::Xmm low = cc_.newXmm();
    const x86::Xmm high = cc_.newXmm();
    cc_.vmovsd(low, x86::qword_ptr(base, each[0], 3));
    cc_.vmovhpd(low, low, x86::qword_ptr(base, each[1], 3));
    cc_.vmovsd(high, x86::qword_ptr(base, each[2], 3));
    cc_.vmovhpd(high, high, x86::qword_ptr(base, each[3], 3));
    cc_.vinsertf128(d, low.ymm(), high, imm(1));
  }
  void load_fours(const x86::Vec& d, Storage storage, const x86::Gp& base, const Lane& index) {
    const auto each = split(index);
    cc_.vpxor(d, d, d);
    for (int k = 0; k < 4; ++k) {
      const x86::Gp& i = each[static_cast<std::size_t>(k)];
      if (storage == Storage::kI32)
        cc_.vpinsrd(d.xmm(), d.xmm(), x86::dword_ptr(base, i, 2), imm(k));
      else
        cc_.vpinsrb(d.xmm(), d.xmm(), x86::byte_ptr(base, i), imm(4 * k));
    }
  }
  void gather_some(const x86::Vec& d, Storage storage, const x86::Gp& base, const Lane& index,
                   const Lane& on) {
    const bool eight = storage_bytes(storage) == 8;
    const x86::Mem at = x86::ptr(base, index.v, eight ? 3 : storage == Storage::kI32 ? 2 : 0);
    const x86::Vec mask = eight ? copy(on.v) : low_halves(on.v);  // consumed by the gather
    cc_.vpxor(d, d, d);
    if (storage == Storage::kF64) {
      wide() ? cc_.vgatherqpd(d, at, mask) : cc_.vgatherdpd(d, at, mask);
    } else if (eight) {
      wide() ? cc_.vpgatherqq(d, at, mask) : cc_.vpgatherdq(d, at, mask);
    } else {
      wide() ? cc_.vpgatherqd(d, at, mask) : cc_.vpgatherdd(d, at, mask);
    }
  }
  [[nodiscard]] x86::Vec copy(const x86::Vec& v) {
    const x86::Vec d = new_mask();
    cc_.vmovdqa(d, v);
    return d;
  }
  // Lanes of `v`, which are as wide as those of a mask, that are not zero, as a mask.
  [[nodiscard]] Lane nonzero(const x86::Vec& v) {
    const x86::Vec zero = new_mask();
    const x86::Vec d = new_mask();
    cc_.vpxor(zero, zero, zero);
    cc_.emit(is_narrow(*this) ? by_width(*this, kEqual) : x86::Inst::kIdVpcmpeqq, d, v, zero);
    return not_bool(of(Type::kBool, d));
  }
  void store_whole(const x86::Mem& at, const x86::Vec& v, bool streaming) {
    streaming ? cc_.vmovntdq(at, v) : cc_.vmovdqu(at, v);
  }
  // The low byte of each of 4 lanes of 32 bits.
  void store_bytes(const x86::Mem& at, const x86::Vec& v) {
    const x86::Xmm d = cc_.newXmm();
    cc_.vpshufb(d, v.xmm(), cc_.newConst(asmjit::ConstPoolScope::kLocal, kPick, sizeof kPick));
    cc_.vmovd(at, d);
  }
  // The low 32 bits of each 64-bit lane.
  [[nodiscard]] x86::Vec low_halves(const x86::Vec& v) {
    const x86::Xmm high = cc_.newXmm();
    const x86::Xmm d = cc_.newXmm();
    cc_.vextracti128(high, v.ymm(), imm(1));
    cc_.vshufps(d, v.xmm(), high, imm(0x88));
    return d;
  }
  [[nodiscard]] x86::Vec widened(const x86::Vec& narrow) {
    const x86::Vec d = new_mask();
    cc_.vpmovsxdq(d, narrow);
    return d;
  }
  static constexpr ByWidth kEqual{x86::Inst::kIdVpcmpeqb, x86::Inst::kIdVpcmpeqw, x86::Inst::kIdVpcmpeqd,
                                  x86::Inst::kIdVpcmpeqq};
  static constexpr ByWidth kGreater{x86::Inst::kIdVpcmpgtb, x86::Inst::kIdVpcmpgtw, x86::Inst::kIdVpcmpgtd,
                                    x86::Inst::kIdVpcmpgtq};
  // A mask of INT lanes, widened to 64 bits if need be.
  [[nodiscard]] Lane compared(const ByWidth& inst, const Lane& a, const Lane& b) {
    const x86::Vec d = int_op(*this, inst, a, b).v;
    return of(Type::kBool, wide() || is_narrow(*this) ? d : widened(d));
  }
  [[nodiscard]] static x86::Mem cell(x86::Mem cells, int i) {
    cells.setSize(8);
    return cells.cloneAdjusted(8 * i);
  }
  [[nodiscard]] Lane divide_in_memory(const Lane& a, const Lane& b, bool remainder) {
    const x86::Mem cells = cc_.newStack(64, 32);
    const x86::Gp left = cc_.newIntPtr();
    const x86::Gp right = cc_.newIntPtr();
    cc_.vmovdqu(cells, a.v);
    cc_.vmovdqu(cells.cloneAdjusted(32), b.v);
    cc_.lea(left, cells);
    cc_.lea(right, cells.cloneAdjusted(32));
    asmjit::InvokeNode* node = nullptr;
    const auto helper = reinterpret_cast<std::uint64_t>(remainder ? &remainder_lanes : &divide_lanes);
    cc_.invoke(&node, helper, asmjit::FuncSignatureT<void, void*, void*>());
    node->setArg(0, left);
    node->setArg(1, right);
    const x86::Vec d = new_int();
    cc_.vmovdqu(d, cells);
    return of(Type::kInt, d);
  }

  x86::Gp table_;
};

}  // namespace

std::unique_ptr<Lanes> make_avx2_lanes(x86::Compiler& cc, int count, int int_bytes) {
  return std::make_unique<Avx2Lanes>(cc, count, int_bytes);
}

}  // namespace nvm::vm::cpu
