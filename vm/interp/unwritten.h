// Vectors that stay out of memory on their way to those who need none of their elements, across calls too,
// and with several threads: numbers counted up that are only permuted, as a sort's first order is, and one
// number repeated, as what a shift leaves of keys that have no higher digit.
#pragma once

#include <vector>

#include "bytecode/ssa/ssa.h"
#include "bytecode/table/op_kind.h"

namespace nvm::vm {

// Of one function, by ValueId: may whoever reads the value find such numbers there (a Formula of kind kRuns),
// such a repeated number?
struct Unwritten {
  std::vector<bool> runs, repeated;
};
// May an instruction find a repeated number at operand i, and do without the elements?
[[nodiscard]] bool reads_repeated(Op op, std::uint32_t i);
// Does it only take away or move down bits of its first operand, so that its result may follow from what is
// known of them?
[[nodiscard]] constexpr bool leaves_known_bits(Op op) {
  return map_algebra(op) == Algebra::kMask || map_algebra(op) == Algebra::kShiftRight;
}
// By FunctionId.
[[nodiscard]] std::vector<Unwritten> find_unwritten(const ssa::Module& module);

}  // namespace nvm::vm
