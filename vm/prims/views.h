// Instructions that leave vectors delayed or read such (vm/data/view.h), and how these are written after
// all. PACK compares and packs in one pass and counts on the way, packs segments that go as a whole, and
// BPERMUTE and DPERMUTE move runs. Where one DPERMUTE writes over another, as in `a ++ b`, the first waits,
// and both write the result once, in order. Results are those of the primitives, bit for bit, and so are
// faults.
#pragma once

#include <array>
#include <vector>

#include "bytecode/table/op_kind.h"
#include "bytecode/table/views.h"
#include "vm/data/view.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// The vector that a view stands for, as the instructions that it was left by make it. Not of kRanks and
// kPending, which only those who make them read.
[[nodiscard]] Value materialise(const View& v, const PrimContext& context);

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
// Makes two or three of them in one pass, from the operands of the first. False if the flags are no view, or
// not one of the elements; nothing has happened then.
[[nodiscard]] bool pack_together(const PrimCall& call, std::span<Packing> packings);

// Can no element stand in both relations to a value?
[[nodiscard]] bool exclude(Scalar a, Scalar b);
// Is it a comparison?
[[nodiscard]] constexpr bool compares(Op op) { return map_algebra(op) == Algebra::kRelation; }
// The forms in which find_maker's leave a result (bytecode/table/views.h).
inline constexpr Forms kMakerForms{Form::kRuns, Form::kSpread,  Form::kFlags,  Form::kPeriodic,
                                   Form::kSums, Form::kGrowing, Form::kPending};
// As find_primitive, for an instruction whose (first) result is read by such only: it may be a view. Null for
// others than DIST, INDEX, DPERMUTE and comparisons.
[[nodiscard]] PrimFn find_maker(Op op);
// As find_primitive, for an instruction that may find views among its operands and makes none. `second`:
// whether somebody wants its second result; if not, it may be missing. Null for others than PACK, INDEX,
// REPLACE, EXTRACT, MAKE_SEGDES, BPERMUTE and DPERMUTE.
[[nodiscard]] PrimFn find_reader(Op op, bool second);

}  // namespace nvm::vm
