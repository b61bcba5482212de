// AVX-512 (F, DQ, VL, BW): masks in k registers, 8 lanes, or narrow ones.
#include "vm/cpu/codegen/lanes.h"

namespace nvm::vm::cpu {

namespace {

using asmjit::imm;

// Of masks.
constexpr ByWidth kAnd{x86::Inst::kIdKandb, x86::Inst::kIdKandw, x86::Inst::kIdKandd, x86::Inst::kIdKandq};
constexpr ByWidth kAndn{x86::Inst::kIdKandnb, x86::Inst::kIdKandnw, x86::Inst::kIdKandnd,
                        x86::Inst::kIdKandnq};
constexpr ByWidth kOr{x86::Inst::kIdKorb, x86::Inst::kIdKorw, x86::Inst::kIdKord, x86::Inst::kIdKorq};
constexpr ByWidth kXor{x86::Inst::kIdKxorb, x86::Inst::kIdKxorw, x86::Inst::kIdKxord, x86::Inst::kIdKxorq};
constexpr ByWidth kXnor{x86::Inst::kIdKxnorb, x86::Inst::kIdKxnorw, x86::Inst::kIdKxnord,
                        x86::Inst::kIdKxnorq};

void emit_on_masks(Lanes& lanes, const ByWidth& inst, const Lane& d, const Lane& a, const Lane& b) {
  lanes.cc().emit(by_count(lanes, inst), d.k, a.k, b.k);
}
// Sets the flags: zero if no lane is T, carry if all are.
void test(Lanes& lanes, const Lane& a) {
  lanes.cc().emit(by_count(lanes, {x86::Inst::kIdKortestb, x86::Inst::kIdKortestw, x86::Inst::kIdKortestd,
                                   x86::Inst::kIdKortestq}),
                  a.k, a.k);
}

class Avx512Lanes final : public Lanes {
 public:
  using Lanes::Lanes;
  [[nodiscard]] Isa isa() const override { return Isa::kAvx512; }
  [[nodiscard]] x86::Vec new_float() override { return cc_.newZmmPd(); }
  [[nodiscard]] x86::Vec new_int() override { return new_vector(cc_, count_ * int_bytes_); }

  void store(Storage storage, const x86::Mem& at, const Lane& value, bool streaming) override {
    switch (storage) {
      case Storage::kF64: streaming ? cc_.vmovntpd(at, value.v) : cc_.vmovupd(at, value.v); return;
      case Storage::kI64:
        if (wide()) return store_whole(at, value.v, streaming);
        if (is_narrow(*this)) return store_widened(*this, storage, at, value, streaming);
        return store_whole(at, widened(value), streaming);
      case Storage::kI32: {
        if (int_bytes_ == 4) return store_whole(at, value.v, streaming);
        if (is_narrow(*this)) return store_widened(*this, storage, at, value, streaming);
        const x86::Ymm d = cc_.newYmm();
        cc_.vpmovqd(d, value.v);
        return store_whole(at, d, streaming);
      }
      case Storage::kI8:
        if (int_bytes_ == 1) return store_whole(at, value.v, streaming);
        cc_.emit(by_width(*this, {0, x86::Inst::kIdVpmovwb, x86::Inst::kIdVpmovdb, x86::Inst::kIdVpmovqb}),
                 at, value.v);
        return;
      case Storage::kB8: {
        const x86::Vec d = new_vector(cc_, count_);
        const x86::Vec ones = new_vector(cc_, count_);
        cc_.vpbroadcastq(ones, cc_.newUInt64Const(asmjit::ConstPoolScope::kLocal, 0x0101010101010101ULL));
        cc_.k(value.k).z().vmovdqu8(d, ones);
        if (count_ > 8) return store_whole(at, d, streaming && count_ == 64);
        cc_.vmovq(at, d.xmm());
        return;
      }
    }
  }

  [[nodiscard]] Lane gather(Storage storage, const x86::Gp& base, const Lane& index,
                            const Lane& on) override {
    const x86::KReg k = cc_.newKb();
    cc_.kmovb(k, on.k);  // consumed by the gather
    const bool eight = storage == Storage::kF64 || storage == Storage::kI64;
    const std::uint32_t scale = eight ? 3 : storage == Storage::kI32 ? 2 : 0;
    const x86::Mem at = x86::ptr(base, index.v, scale);
    if (eight) {
      const x86::Vec d = storage == Storage::kF64 ? new_float() : x86::Vec(cc_.newZmm());
      cc_.vpxorq(d, d, d);
      if (wide()) {
        storage == Storage::kF64 ? cc_.k(k).vgatherqpd(d, at) : cc_.k(k).vpgatherqq(d, at);
      } else {
        storage == Storage::kF64 ? cc_.k(k).vgatherdpd(d, at) : cc_.k(k).vpgatherdq(d, at);
      }
      if (storage == Storage::kF64) return of(Type::kFloat, d);
      return wide() ? of(Type::kInt, d) : narrowed(d);
    }
    const x86::Ymm d = cc_.newYmm();
    cc_.vpxor(d, d, d);
    wide() ? cc_.k(k).vpgatherqd(d, at) : cc_.k(k).vpgatherdd(d, at);
    if (storage != Storage::kI32) {  // 4 bytes were read, the lowest is meant
      cc_.vpslld(d, d, imm(24));
      cc_.vpsrad(d, d, imm(24));
    }
    if (storage == Storage::kB8) {
      const x86::KReg flags = cc_.newKb();
      cc_.vptestmd(flags, d, d);
      return Lane{Type::kBool, {}, flags};
    }
    return wide() ? of(Type::kInt, widened(of(Type::kInt, d))) : of(Type::kInt, d);
  }

  [[nodiscard]] Lane all_true() override {
    const Lane d = new_mask();
    emit_on_masks(*this, kXnor, d, d, d);
    return d;
  }
  [[nodiscard]] Lane and_bool(const Lane& a, const Lane& b) override {
    const Lane d = new_mask();
    emit_on_masks(*this, kAnd, d, a, b);
    return d;
  }
  [[nodiscard]] Lane or_bool(const Lane& a, const Lane& b) override {
    const Lane d = new_mask();
    emit_on_masks(*this, kOr, d, a, b);
    return d;
  }
  [[nodiscard]] Lane xor_bool(const Lane& a, const Lane& b) override {
    const Lane d = new_mask();
    emit_on_masks(*this, kXor, d, a, b);
    return d;
  }
  [[nodiscard]] Lane and_not_bool(const Lane& a, const Lane& b) override {
    const Lane d = new_mask();
    emit_on_masks(*this, kAndn, d, b, a);
    return d;
  }
  void merge_true(const Lane& into, const Lane& more) override {
    emit_on_masks(*this, kOr, into, into, more);
  }
  // Not kmovb: the register allocator would let it read a spilled mask from memory, which has no such form.
  void any_to(const x86::Gp& out, const Lane& a) override {
    cc_.mov(out, 0);
    test(*this, a);
    cc_.setnz(out.r8());
  }
  void jump_unless_all(const Lane& a, const asmjit::Label& to) override {
    test(*this, a);
    cc_.jnc(to);
  }

  [[nodiscard]] Lane mul_int(const Lane& a, const Lane& b) override {
    return int_op(*this, {0, x86::Inst::kIdVpmullw, x86::Inst::kIdVpmulld, x86::Inst::kIdVpmullq}, a, b);
  }
  [[nodiscard]] Lane shift(const Lane& a, const Lane& by, bool left) override {
    const x86::Vec d = new_int();
    const x86::Vec n = new_int();
    const Lane width = constant_int(wide() ? 63 : 31);
    wide() ? cc_.vpandq(n, by.v, width.v) : cc_.vpandd(n, by.v, width.v);
    if (wide()) {
      left ? cc_.vpsllvq(d, a.v, n) : cc_.vpsravq(d, a.v, n);
    } else {
      left ? cc_.vpsllvd(d, a.v, n) : cc_.vpsravd(d, a.v, n);
    }
    return of(Type::kInt, d);
  }
  [[nodiscard]] Lane max_int(const Lane& a, const Lane& b) override {
    return int_op(
        *this, {x86::Inst::kIdVpmaxsb, x86::Inst::kIdVpmaxsw, x86::Inst::kIdVpmaxsd, x86::Inst::kIdVpmaxsq},
        a, b);
  }
  [[nodiscard]] Lane min_int(const Lane& a, const Lane& b) override {
    return int_op(
        *this, {x86::Inst::kIdVpminsb, x86::Inst::kIdVpminsw, x86::Inst::kIdVpminsd, x86::Inst::kIdVpminsq},
        a, b);
  }
  [[nodiscard]] Lane divide_int(const Lane& a, const Lane& b, bool remainder) override {
    return wide() ? divide_wide(a, b, remainder) : divide_narrow(a, b, remainder);
  }
  [[nodiscard]] Lane below_unsigned(const Lane& a, const Lane& b) override {
    const Lane d = new_mask();
    wide() ? cc_.vpcmpuq(d.k, a.v, b.v, imm(1)) : cc_.vpcmpud(d.k, a.v, b.v, imm(1));
    return d;
  }

  void prepare_packing() override {}
  [[nodiscard]] KeptLanes kept(const Lane& flags) override { return {flags, count_true(flags), {}}; }
  void store_kept(Storage storage, const x86::Mem& at, const Lane& value, const KeptLanes& kept) override {
    const bool flags = value.type == Type::kBool;
    store(flags ? Storage::kI8 : storage, at, compress(flags ? bool_to_int(value) : value, kept.flags),
          false);
  }
  [[nodiscard]] Lane shifted(const Lane& a, const Lane& fill, int by) override {
    const x86::Vec d = new_int();
    wide() ? cc_.valignq(d, a.v, fill.v, imm(8 - by)) : cc_.valignd(d, a.v, fill.v, imm(8 - by));
    return of(Type::kInt, d);
  }
  [[nodiscard]] Lane last(const Lane& a, const Lane& number) override {
    // A fresh register: another form of vpermq takes its second operand from memory, and the register
    // allocator would use that for a spilled one.
    const x86::Vec from = new_int();
    const x86::Vec d = new_int();
    cc_.vmovdqa64(from, number.v);
    wide() ? cc_.vpermq(d, from, a.v) : cc_.vpermd(d, from, a.v);
    return of(Type::kInt, d);
  }
  void store_first(const x86::Mem& at, const Lane& a) override {
    wide() ? cc_.vmovq(at, a.v.xmm()) : cc_.vmovd(at, a.v.xmm());
  }

  [[nodiscard]] Lane compare(Compare how, const Lane& a, const Lane& b) override {
    // Ordered and quiet, but "differs" is true of the unordered.
    static constexpr int kFloatCode[] = {0x11, 0x12, 0x1E, 0x1D, 0x00, 0x04};
    static constexpr int kIntCode[] = {1, 2, 6, 5, 0, 4};
    const Lane d = new_mask();
    const auto at = static_cast<std::size_t>(how);
    if (a.type == Type::kFloat) {
      cc_.vcmppd(d.k, a.v, b.v, imm(kFloatCode[at]));
    } else {
      cc_.emit(by_width(*this, {x86::Inst::kIdVpcmpb, x86::Inst::kIdVpcmpw, x86::Inst::kIdVpcmpd,
                                x86::Inst::kIdVpcmpq}),
               d.k, a.v, b.v, imm(kIntCode[at]));
    }
    return d;
  }
  // Not vblendm: the register allocator takes what a mask governs as read, and would keep a place in memory
  // for the value that the result had before it was there, loaded and stored in every round.
  [[nodiscard]] Lane select(const Lane& flag, const Lane& a, const Lane& b) override {
    if (a.type == Type::kBool) return or_bool(and_bool(flag, a), and_not_bool(b, flag));
    const x86::Vec d = a.type == Type::kFloat ? new_float() : new_int();
    if (a.type == Type::kFloat) {
      cc_.vmovapd(d, b.v);
      cc_.k(flag.k).vmovapd(d, a.v);
    } else {
      cc_.vmovdqa64(d, b.v);
      cc_.k(flag.k).emit(by_width(*this, kMove), d, a.v);
    }
    return of(a.type, d);
  }
  [[nodiscard]] Lane bool_to_int(const Lane& a) override {
    const x86::Vec d = new_int();
    const Lane one = constant_int(1);
    cc_.k(a.k).z().emit(by_width(*this, kMove), d, one.v);
    return of(Type::kInt, d);
  }
  [[nodiscard]] Lane to_int(const Lane& a) override {
    const x86::Vec d = new_int();
    wide() ? cc_.vcvttpd2qq(d, a.v) : cc_.vcvttpd2dq(d, a.v);
    return of(Type::kInt, d);
  }
  [[nodiscard]] Lane to_float(const Lane& a) override {
    const x86::Vec d = new_float();
    wide() ? cc_.vcvtqq2pd(d, a.v) : cc_.vcvtdq2pd(d, a.v);
    return of(Type::kFloat, d);
  }
  [[nodiscard]] Lane round(const Lane& a, int mode) override {
    const x86::Vec d = new_float();
    cc_.vrndscalepd(d, a.v, imm(mode | 8));
    return of(Type::kFloat, d);
  }

 protected:
  [[nodiscard]] Lane load_bool(const x86::Mem& at) override {
    const x86::Vec bytes = new_vector(cc_, count_);
    const Lane d = {Type::kBool, {}, count_ == 8 ? cc_.newKw() : new_mask().k};
    // The upper half of the register is zero, so only 8 bits can be set.
    count_ == 8 ? cc_.vmovq(bytes.xmm(), at) : cc_.vmovdqu64(bytes, at);
    cc_.vptestmb(d.k, bytes, bytes);
    return d;
  }
  [[nodiscard]] Lane load_int(const x86::Mem& at) override {
    const x86::Vec d = new_int();
    cc_.vmovdqu64(d, at);
    return of(Type::kInt, d);
  }
  [[nodiscard]] Lane load_low(const x86::Mem& at) override {
    const x86::Vec whole = cc_.newZmm();
    cc_.vmovdqu64(whole, at);
    return narrowed(whole);
  }
  [[nodiscard]] Lane broadcast_bool(const x86::Mem& at) override {
    const x86::Vec cell = cc_.newZmm();
    const Lane d = new_mask();
    cc_.vpbroadcastq(cell, at);
    if (!is_narrow(*this)) {
      cc_.vptestmq(d.k, cell, cell);
      return d;
    }
    // A cell is 0 or 1: a word that is not zero in each, which all lanes take.
    const x86::Vec bytes = cc_.newZmm();
    const x86::Vec zero = cc_.newZmm();
    cc_.vpxorq(zero, zero, zero);
    cc_.vpshufb(bytes, cell, zero);
    cc_.vptestmb(d.k, bytes, bytes);
    return d;
  }

 private:
  // The lanes of a, INT or FLOAT, that are kept, in front; zeros behind.
  [[nodiscard]] Lane compress(const Lane& a, const Lane& kept) {
    const x86::Vec d = a.type == Type::kFloat ? new_float() : new_int();
    if (a.type == Type::kFloat) {
      cc_.k(kept.k).z().vcompresspd(d, a.v);
    } else {
      cc_.k(kept.k).z().emit(by_width(*this, {x86::Inst::kIdVpcompressb, x86::Inst::kIdVpcompressw,
                                              x86::Inst::kIdVpcompressd, x86::Inst::kIdVpcompressq}),
                             d, a.v);
    }
    return of(a.type, d);
  }
  // By way of a fresh mask: a spilled one would be read from memory, which kmovb to a register cannot.
  [[nodiscard]] x86::Gp count_true(const Lane& a) {
    const Lane copy = new_mask();
    const x86::Gp count = cc_.newInt64();
    const asmjit::InstId move =
        by_count(*this, {x86::Inst::kIdKmovb, x86::Inst::kIdKmovw, x86::Inst::kIdKmovd, x86::Inst::kIdKmovq});
    cc_.emit(move, copy.k, a.k);
    count_ == 64 ? cc_.emit(move, count, copy.k) : cc_.emit(move, count.r32(), copy.k);
    cc_.popcnt(count, count);
    return count;
  }
  void store_whole(const x86::Mem& at, const x86::Vec& v, bool streaming) {
    streaming ? cc_.vmovntdq(at, v) : cc_.vmovdqu64(at, v);
  }

  [[nodiscard]] Lane new_mask() {
    x86::KReg k;
    if (count_ == 8) k = cc_.newKb();
    if (count_ == 16) k = cc_.newKw();
    if (count_ == 32) k = cc_.newKd();
    if (count_ == 64) k = cc_.newKq();
    return Lane{Type::kBool, {}, k};
  }
  static constexpr ByWidth kMove{x86::Inst::kIdVmovdqu8, x86::Inst::kIdVmovdqu16, x86::Inst::kIdVmovdqa32,
                                 x86::Inst::kIdVmovdqa64};
  [[nodiscard]] x86::Vec widened(const Lane& narrow) {
    const x86::Vec d = cc_.newZmm();
    cc_.vpmovsxdq(d, narrow.v);
    return d;
  }
  [[nodiscard]] Lane narrowed(const x86::Vec& v) {
    const x86::Vec d = new_int();
    cc_.vpmovqd(d, v);
    return of(Type::kInt, d);
  }

  // Two steps of double-precision division: the first leaves a remainder of at most a few thousand times b,
  // the second is off by at most one, which the sign and size of the remainder tell.
  [[nodiscard]] Lane divide_wide(const Lane& a, const Lane& b, bool remainder) {
    const Lane divisor = to_float(b);
    const x86::Vec q = new_float();
    cc_.vdivpd(q, to_float(a).v, divisor.v);
    Lane quotient = to_int(of(Type::kFloat, q));
    Lane rest = sub_int(a, mul_int(quotient, b));
    const x86::Vec q2 = new_float();
    cc_.vdivpd(q2, to_float(rest).v, divisor.v);
    const Lane more = to_int(of(Type::kFloat, q2));
    quotient = add_int(quotient, more);
    rest = sub_int(rest, mul_int(more, b));
    // Quotient one too large: the rest has the sign opposite to a. One too small: |rest| >= |b|.
    const Lane zero = constant_int(0);
    const Lane opposite = compare(Compare::kLt, xor_int(rest, a), zero);
    const Lane over = and_bool(opposite, compare(Compare::kNe, rest, zero));
    const Lane under = and_not_bool(not_bool(below_unsigned(magnitude(rest), magnitude(b))), over);
    const Lane negative = compare(Compare::kLt, xor_int(a, b), zero);
    const Lane unit = select(negative, constant_int(-1), constant_int(1));
    const Lane step = sub_int(select(under, unit, zero), select(over, unit, zero));
    if (!remainder) return add_int(quotient, step);
    return sub_int(rest, mul_int(step, b));
  }
  [[nodiscard]] Lane xor_int(const Lane& a, const Lane& b) {
    const x86::Vec d = new_int();
    cc_.vpxorq(d, a.v, b.v);
    return of(Type::kInt, d);
  }
  [[nodiscard]] Lane magnitude(const Lane& a) {
    const x86::Vec d = new_int();
    cc_.vpabsq(d, a.v);
    return of(Type::kInt, d);
  }
};

}  // namespace

std::unique_ptr<Lanes> make_avx512_lanes(x86::Compiler& cc, int count, int int_bytes) {
  return std::make_unique<Avx512Lanes>(cc, count, int_bytes);
}

}  // namespace nvm::vm::cpu
