// One vector of values as machine code sees it, and the operations on it that differ between instruction
// sets. Every operation yields a fresh virtual register; the register allocator of asmjit does the rest.
//
//   type   AVX-512                               AVX2
//   FLOAT  zmm, 8 doubles                        ymm, 4 doubles
//   INT    zmm of 8 x 64 or ymm of 8 x 32 bits   ymm of 4 x 64 or xmm of 4 x 32 bits
//   BOOL   mask register, 8 bits                 ymm, 4 lanes of all ones or zero
//
// Narrow lanes (narrow_lanes.h) are of INT and BOOL alone: zmm or ymm of as many lanes of 1, 2 or 4 bytes as
// fit, and BOOL in a mask register of a bit or in a ymm of all ones or zero for each. What they have no
// instructions for, narrow_lanes.cpp does not ask of them: packing by AVX2, divisions, gathers, and what says
// FLOAT.
#pragma once

#include <asmjit/x86.h>

#include <memory>

#include "bytecode/table/op_info.h"
#include "bytecode/table/types.h"
#include "vm/cpu/isa.h"

namespace nvm::vm::cpu {

namespace x86 = asmjit::x86;

struct Lane {
  Type type = Type::kInt;
  x86::Vec v;   // all but BOOL on AVX-512
  x86::KReg k;  // BOOL on AVX-512
};

// The lanes that packing keeps.
struct KeptLanes {
  Lane flags;
  x86::Gp count;
  x86::Gp row;  // AVX2: offset of their row in a table of 16 bytes a row
};

enum class Compare : std::uint8_t { kLt, kLe, kGt, kGe, kEq, kNe };

class Lanes {
 public:
  // `count` lanes, in which INT has `int_bytes`.
  Lanes(x86::Compiler& cc, int count, int int_bytes) : cc_(cc), count_(count), int_bytes_(int_bytes) {}
  virtual ~Lanes() = default;
  [[nodiscard]] x86::Compiler& cc() { return cc_; }
  [[nodiscard]] bool wide() const { return int_bytes_ == 8; }
  [[nodiscard]] int int_bytes() const { return int_bytes_; }
  [[nodiscard]] virtual Isa isa() const = 0;
  [[nodiscard]] int count() const { return count_; }

  // Fresh registers.
  [[nodiscard]] virtual x86::Vec new_float() = 0;
  [[nodiscard]] virtual x86::Vec new_int() = 0;

  // Memory. Stores of narrower storage truncate, loads extend. `streaming` bypasses the caches and needs an
  // address aligned to the vector.
  [[nodiscard]] Lane load(Storage storage, const x86::Mem& at);
  virtual void store(Storage storage, const x86::Mem& at, const Lane& value, bool streaming) = 0;
  // All lanes equal to the 8-byte cell at `at`: INT, double, or BOOL 0/1.
  [[nodiscard]] Lane broadcast(Type type, const x86::Mem& at);
  // base[index] where `on`, zero elsewhere.
  [[nodiscard]] virtual Lane gather(Storage storage, const x86::Gp& base, const Lane& index,
                                    const Lane& on) = 0;

  // BOOL
  [[nodiscard]] virtual Lane all_true() = 0;
  [[nodiscard]] virtual Lane and_bool(const Lane& a, const Lane& b) = 0;
  [[nodiscard]] virtual Lane or_bool(const Lane& a, const Lane& b) = 0;
  [[nodiscard]] virtual Lane xor_bool(const Lane& a, const Lane& b) = 0;
  [[nodiscard]] virtual Lane and_not_bool(const Lane& a, const Lane& b) = 0;  // a and not b
  virtual void merge_true(const Lane& into, const Lane& more) = 0;            // into = into or more
  virtual void any_to(const x86::Gp& out, const Lane& a) = 0;                 // 0 if no lane is T
  virtual void jump_unless_all(const Lane& a, const asmjit::Label& to) = 0;

  // INT
  [[nodiscard]] virtual Lane mul_int(const Lane& a, const Lane& b) = 0;
  [[nodiscard]] virtual Lane shift(const Lane& a, const Lane& count, bool left) = 0;
  [[nodiscard]] virtual Lane max_int(const Lane& a, const Lane& b) = 0;
  [[nodiscard]] virtual Lane min_int(const Lane& a, const Lane& b) = 0;
  // Quotient or remainder; no lane of b is zero and none is min / -1.
  [[nodiscard]] virtual Lane divide_int(const Lane& a, const Lane& b, bool remainder) = 0;
  [[nodiscard]] virtual Lane below_unsigned(const Lane& a, const Lane& b) = 0;  // a < b as unsigned

  // Packing: what it needs in front of the loop; the lanes that a flag keeps; those of `value` one behind the
  // other at `at`, where a whole vector is written.
  virtual void prepare_packing() = 0;
  [[nodiscard]] virtual KeptLanes kept(const Lane& flags) = 0;
  virtual void store_kept(Storage storage, const x86::Mem& at, const Lane& value, const KeptLanes& kept) = 0;
  // INT: a moved up by `by` lanes, the upper ones of `fill` below; the last lane everywhere, `number` being
  // its number; the first lane into a cell.
  [[nodiscard]] virtual Lane shifted(const Lane& a, const Lane& fill, int by) = 0;
  [[nodiscard]] virtual Lane last(const Lane& a, const Lane& number) = 0;
  virtual void store_first(const x86::Mem& at, const Lane& a) = 0;

  // Mixed
  [[nodiscard]] virtual Lane compare(Compare how, const Lane& a, const Lane& b) = 0;  // INT or FLOAT
  [[nodiscard]] virtual Lane select(const Lane& flag, const Lane& a, const Lane& b) = 0;
  [[nodiscard]] virtual Lane bool_to_int(const Lane& a) = 0;
  [[nodiscard]] virtual Lane to_int(const Lane& a) = 0;    // toward zero; out of range gives the least INT
  [[nodiscard]] virtual Lane to_float(const Lane& a) = 0;  // nearest
  [[nodiscard]] virtual Lane round(const Lane& a, int mode) = 0;  // FLOAT to integral FLOAT; mode as ROUNDPD

  // Shared by both.
  [[nodiscard]] Lane constant_int(std::int64_t v);
  [[nodiscard]] Lane constant_float(double v);
  [[nodiscard]] Lane constant_bool(bool v);
  // start, start + 1, ...; `start` is an 8-byte cell.
  [[nodiscard]] Lane count_up(const x86::Mem& start);
  // lane numbers 0, 1, ...
  [[nodiscard]] Lane lane_numbers();
  // As gather; one load where the indices turn out to be consecutive, or `same`: are one number where all
  // lanes are on. Not for BOOL.
  [[nodiscard]] Lane gather_near(Storage storage, const x86::Gp& base, const Lane& index, const Lane& on,
                                 bool same);
  // The first lane, an index.
  [[nodiscard]] x86::Gp start_of(const Lane& index);
  [[nodiscard]] Lane add_int(const Lane& a, const Lane& b);
  [[nodiscard]] Lane sub_int(const Lane& a, const Lane& b);
  [[nodiscard]] Lane not_bool(const Lane& a) { return and_not_bool(all_true(), a); }
  // A function of the host from one FLOAT vector to another.
  [[nodiscard]] Lane call(const void* function, const Lane& a);
  [[nodiscard]] Lane of(Type type, const x86::Vec& v) const { return Lane{type, v, {}}; }

  // Lanes that trap are gathered here during a stage; `active` are the lanes that count.
  void set_active(const Lane& active, const Lane& trapped) {
    active_ = active;
    trapped_ = trapped;
  }
  [[nodiscard]] const Lane& active() const { return active_; }
  [[nodiscard]] const Lane& trapped() const { return trapped_; }
  void trap_where(const Lane& bad) { merge_true(trapped_, and_bool(bad, active_)); }
  void trap_unless(const Lane& good) { merge_true(trapped_, and_not_bool(active_, good)); }

 protected:
  [[nodiscard]] virtual Lane load_bool(const x86::Mem& at) = 0;
  [[nodiscard]] virtual Lane load_int(const x86::Mem& at) = 0;  // of the run's width
  [[nodiscard]] virtual Lane load_low(const x86::Mem& at) = 0;  // 64-bit cells, of which 32 bits are meant
  [[nodiscard]] virtual Lane broadcast_bool(const x86::Mem& at) = 0;
  // 32-bit quotients are exact in double precision.
  [[nodiscard]] Lane divide_narrow(const Lane& a, const Lane& b, bool remainder);

  x86::Compiler& cc_;
  int count_, int_bytes_;
  Lane active_, trapped_;
};

[[nodiscard]] std::unique_ptr<Lanes> make_avx512_lanes(x86::Compiler& cc, int count, int int_bytes);
[[nodiscard]] std::unique_ptr<Lanes> make_avx2_lanes(x86::Compiler& cc, int count, int int_bytes);
// Those of `isa` for code in which FLOAT may be; narrow ones, in which INT has 1, 2 or 4 bytes.
[[nodiscard]] std::unique_ptr<Lanes> make_lanes(x86::Compiler& cc, Isa isa, IntBits bits);
[[nodiscard]] std::unique_ptr<Lanes> make_narrow_lanes(x86::Compiler& cc, Isa isa, int int_bytes);

// Of an instruction, the one for bytes, words, 32 or 64 bits: of INT in `lanes`, or of masks of so many
// lanes.
struct ByWidth {
  asmjit::InstId b, w, d, q;
};
[[nodiscard]] inline asmjit::InstId by_width(const Lanes& lanes, const ByWidth& inst) {
  const int bytes = lanes.int_bytes();
  return bytes == 8 ? inst.q : bytes == 4 ? inst.d : bytes == 2 ? inst.w : inst.b;
}
[[nodiscard]] inline asmjit::InstId by_count(const Lanes& lanes, const ByWidth& inst) {
  const int count = lanes.count();
  return count == 8 ? inst.b : count == 16 ? inst.w : count == 32 ? inst.d : inst.q;
}
// Does INT fill a vector, in lanes of less than 8 bytes?
[[nodiscard]] inline bool is_narrow(const Lanes& lanes) {
  return lanes.int_bytes() < 8 && lanes.count() * lanes.int_bytes() == 8 * lanes_of(lanes.isa());
}
[[nodiscard]] inline bool is_given(const Lane& lane) { return lane.v.isValid() || lane.k.isValid(); }
// A register of so many bytes, at least 16.
[[nodiscard]] x86::Vec new_vector(x86::Compiler& cc, int bytes);
// A fresh INT: inst a b.
[[nodiscard]] Lane int_op(Lanes& lanes, const ByWidth& inst, const Lane& a, const Lane& b);
// INT from elements of fewer `bytes` than INT has; to storage of more bytes, vector by vector by way of
// memory.
[[nodiscard]] Lane load_widened(Lanes& lanes, int bytes, const x86::Mem& at);
void store_widened(Lanes& lanes, Storage storage, const x86::Mem& at, const Lane& value, bool streaming);
// A fresh register for values of the same kind; to = from; the same where the flag is T, also of what
// `scalar` computes.
[[nodiscard]] Lane like(Lanes& lanes, const Lane& lane);
void move(Lanes& lanes, const Lane& to, const Lane& from);
void move_where(Lanes& lanes, const Lane& flag, const Lane& to, const Lane& from);
void apply_where(Lanes& lanes, const Lane& flag, const Lane& to, Scalar scalar, const Lane* args);
// One element in all lanes; not BOOL.
[[nodiscard]] Lane everywhere(Lanes& lanes, Storage storage, const x86::Mem& at);
// BOOL as it stands in the register.
[[nodiscard]] Lane load_mask(Lanes& lanes, const x86::Mem& at);
// What `scalar` computes of `args` of type `operand`, in `lanes`. Traps go to lanes.trap_where().
[[nodiscard]] Lane emit_scalar(Lanes& lanes, Scalar scalar, const Lane* args);

}  // namespace nvm::vm::cpu
