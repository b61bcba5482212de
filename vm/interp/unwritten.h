// Which results may stay unwritten (vm/prims/formula.h), found once, when code is made. There are four ways,
// each with a finder. All begin with the values that some instruction could leave so, and take away those
// that somebody reads who wants the elements.
//
//   find_formulas  for one thread alone; left and read by the primitives' twins (find_maker, find_reader)
//   find_indices   for all threads: indices of moves along one descriptor, and of a scatter of one value
//   find_permuted  for all threads, across calls: numbers counted up, or one repeated, that are only
//   permuted,
//                  masked or shifted
//   find_pulls     for all threads, across the turns of a recursion: fields of records that are read by the
//                  same indices
#pragma once

#include <vector>

#include "bytecode/ssa/ssa.h"
#include "bytecode/table/op_kind.h"

namespace nvm::vm {

// By ValueId: results of instructions that can leave a formula, if all that reads them can take one.
[[nodiscard]] std::vector<bool> find_formulas(const ssa::Function& f);

// By ValueId.
struct UnwrittenIndices {
  std::vector<bool> runs;     // INDEX with stride one that only moves along the same descriptor read
  std::vector<bool> strided;  // INDEX and DIST whose only reader is a DPERMUTE of one value to those places
};
[[nodiscard]] UnwrittenIndices find_indices(const ssa::Module& module, const ssa::Function& f);

// By ValueId: may whoever reads the value find numbers counted up there (Formula::Kind::kRuns and kStrided),
// or a repeated number (Vector::repeated)?
struct Permuted {
  std::vector<bool> runs, repeated;
};
// By FunctionId.
[[nodiscard]] std::vector<Permuted> find_permuted(const ssa::Module& module);
// May an instruction find a repeated number at operand i, and do without the elements?
[[nodiscard]] bool reads_repeated(Op op, std::uint32_t i);
// Does it only take away or move down bits of its first operand, so that its result may follow from what is
// known of them?
[[nodiscard]] constexpr bool leaves_known_bits(Op op) {
  return map_algebra(op) == Algebra::kMask || map_algebra(op) == Algebra::kShiftRight;
}

// Vectors that may stay pulls: elements of another vector by indices, not yet moved. A recursion over a list
// of records reads all fields of the next list by the same indices and passes them on; where they are then
// moved once more, the indices are moved in their place, once for all fields, and fields that a step does not
// look at are never read.
struct Pulls {
  std::vector<bool> may;     // by ValueId: whoever reads it must be ready for a pull
  std::vector<bool> leaves;  // by ValueId: of a BPERMUTE, for such a parameter of the call that reads it
  // Of an instruction with this first result: does it take a pull as operand 0 and give one?
  [[nodiscard]] bool takes(const ssa::Inst& inst) const;
};
// `formula`: as find_formulas has it.
[[nodiscard]] Pulls find_pulls(const ssa::Function& f, ssa::FunctionId id, const std::vector<bool>& formula);

}  // namespace nvm::vm
