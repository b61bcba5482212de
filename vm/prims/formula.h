// Vectors that are not written: what stands for one in its slot, for whoever leaves one
// (bytecode/ssa/demand.h finds where), and how it is written after all. A DIST, a run of indices or a
// comparison with a distributed value that only certain instructions read stays a formula: PACK compares and
// packs in one pass and counts on the way, packs segments that go as a whole, and BPERMUTE and DPERMUTE move
// runs. Where one DPERMUTE writes over another, as in `a ++ b`, the first waits, and both write the result
// once, in order. Results are those of the primitives, bit for bit, and so are faults. All threads share
// runs, strided runs and pulls; the others are for one thread.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "bytecode/table/op_kind.h"
#include "bytecode/table/views.h"
#include "vm/prims/prims.h"

namespace nvm::ssa {
struct Inst;
}

namespace nvm::vm {

struct Formula;

// A DPERMUTE by runs of places whose result is still to be made, because another one writes over it.
struct JoinPart {
  Vector v;
  std::shared_ptr<const Formula> runs;
  Segdes source;
  // Of equally many elements each, the run of every segment goes to `offset`; else where those go that are
  // not empty, as Table::note_pieces has it.
  bool regular = false;
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::int64_t count = 0;
  BufferRef pieces;
  std::shared_ptr<const Formula> half, mapped;  // in place of v; the latter kPart or kMapped
};

struct Formula {
  enum class Kind : std::uint8_t {
    kSpread,   // x[k] for every element of segment k
    kRuns,     // x[k], x[k] + 1, ... in segment k
    kStrided,  // x[k], x[k] + strides[k], ... in segment k
    kPulled,   // the elements of x that `left` has the indices of, which lie inside
    kCompare,  // `left` compared with such a spread
    kJoin,     // `parts` moved over copies of x[0] into segments `s`
    kHalf,     // in segments `s`: of the two parts of every segment of `left`, the first, or the `second`
    kRanks,    // places that only sorting needs (vm/prims/sort.h): ascending if `compare` is kLt, else
               // descending
    kPlaces,   // where the flags `left`, of one segment, are set
    kHole,     // elements that a call is still to give (vm/prims/landing.h)
    kMoved,    // a DPERMUTE or BPERMUTE of such, by its `operands`, the last of them `s`
    kPart,     // of every segment of `left`, whose lengths are `other`, those from `offset` on, as `s` has it
    kMapped,   // `op` and `word` of `operands`, some of them kPart or kMapped, in segments `s`
    kCycle,    // the elements of x in every segment of `s`, which are as long; in each by `growth` greater
    kCycledRuns,  // x[k], x[k] + strides[k], ... in segment k of `s`; x and strides over and over, x each
                  // time by `growth` greater
  };
  Kind kind = Kind::kSpread;
  Scalar compare = Scalar::kEq;  // kCompare, kRanks
  Segdes s;
  Vector x;  // one element for each segment
  Vector left;
  std::vector<JoinPart> parts;  // of the same storage
  Segdes other;                 // kHalf: lengths of the other parts; kPart
  std::int64_t offset = 0;      // kPart
  bool second = false;
  std::vector<Value> operands;  // kMoved, kMapped
  Op op = Op::kExit;            // kMapped
  TypeWord word = TypeWord::kNone;
  Vector strides;                   // kStrided; kCycledRuns: 1 or -1 each
  const ssa::Inst* move = nullptr;  // kPulled: the BPERMUTE that left it
  std::int64_t growth = 0;          // kCycle, kCycledRuns
};

// The formula of this kind that a value is; null if it is none.
[[nodiscard]] inline const Formula* formula_of(const Value& value, Formula::Kind kind) {
  const auto* f = std::get_if<std::shared_ptr<const Formula>>(&value);
  return f != nullptr && (*f)->kind == kind ? f->get() : nullptr;
}
// x[k], x[k] + 1, ... in segment k of `s`, and x[k], x[k] + strides[k], ...
[[nodiscard]] inline std::shared_ptr<const Formula> runs_formula(const Segdes& s, Vector x) {
  Formula f;
  f.kind = Formula::Kind::kRuns;
  f.s = s;
  f.x = std::move(x);
  return std::make_shared<const Formula>(std::move(f));
}
[[nodiscard]] inline std::shared_ptr<const Formula> strided_formula(const Segdes& s, Vector x,
                                                                    Vector strides) {
  Formula f;
  f.kind = Formula::Kind::kStrided;
  f.s = s;
  f.x = std::move(x);
  f.strides = std::move(strides);
  return std::make_shared<const Formula>(std::move(f));
}
// DPERMUTEs of these parts into `s`, over `defaults`, that wait for others.
[[nodiscard]] inline Value waiting_join(const Segdes& s, const Vector& defaults,
                                        std::vector<JoinPart> parts) {
  Formula f;
  f.kind = Formula::Kind::kJoin;
  f.s = s;
  f.x = defaults;
  f.parts = std::move(parts);
  return std::make_shared<const Formula>(std::move(f));
}

// The vector that a formula stands for, as the instructions that it was left by make it. Not of kRanks, kHole
// and kMoved, which only those who make them read.
[[nodiscard]] Value write_formula(const Formula& f, const PrimContext& context);
// Of kJoin: the parts one after the other.
[[nodiscard]] Value written_join(const Formula& f, const PrimContext& context);

// One of several PACKs of the same elements by comparisons with the same values.
struct Packing {
  Scalar relation = Scalar::kEq;  // of elements that are taken
  bool second = true;             // whether somebody wants the lengths
  // The elements will be joined with those of another of the same pass, and are asked for nowhere else: its
  // place in every segment. Such results may be kHalf.
  enum class Half : std::uint8_t { kNone, kFirst, kSecond };
  Half half = Half::kNone;
  std::array<Value, 2> results;
};
inline constexpr std::size_t kMostPackings = 3;
// Makes two or three of them in one pass, from the operands of the first. False if the flags are no formula,
// or not one of the elements; nothing has happened then.
[[nodiscard]] bool pack_together(const PrimCall& call, std::span<Packing> packings);

// Can no element stand in both relations to a value?
[[nodiscard]] bool exclude(Scalar a, Scalar b);
// Is it a comparison?
[[nodiscard]] constexpr bool compares(Op op) { return map_algebra(op) == Algebra::kRelation; }
// The forms in which find_maker's leave a result that one thread alone makes (bytecode/table/views.h).
inline constexpr Forms kMakerForms{Form::kRuns,     Form::kSpread, Form::kFlags,   Form::kPlaces,
                                   Form::kPeriodic, Form::kSums,   Form::kGrowing, Form::kPending};
// As find_primitive, for an instruction whose (first) result is read by such only: it may be a formula. Null
// for others than DIST, INDEX, PACK, DPERMUTE and comparisons.
[[nodiscard]] PrimFn find_maker(Op op);
// As find_primitive, for an instruction that may find formulas among its operands and makes none. `second`:
// whether somebody wants its second result; if not, it may be missing. Null for others than PACK, INDEX,
// REPLACE, EXTRACT, MAKE_SEGDES, BPERMUTE and DPERMUTE.
[[nodiscard]] PrimFn find_reader(Op op, bool second);

}  // namespace nvm::vm
