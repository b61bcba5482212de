// Which moves are put off across the turns of a recursion. A recursion over a list of records reads all
// fields of the next list by the same indices and passes them on; where they are then moved once more, the
// indices are moved in their place, once for all fields, and fields that a step does not look at are never
// read. Here it is found where that pays; what it is that they leave is View::is_gather.
#pragma once

#include <vector>

#include "bytecode/ssa/demand.h"
#include "bytecode/ssa/ssa.h"

namespace nvm::vm {

struct Pulls {
  std::vector<bool> may;     // by ValueId: whoever reads it must be ready for a pull
  std::vector<bool> leaves;  // by ValueId: of a BPERMUTE, for such a parameter of the call that reads it
  // Of an instruction with this first result: does it take a pull as operand 0 and give one?
  [[nodiscard]] bool takes(const ssa::Inst& inst) const;
};
// `demand`: of the function.
[[nodiscard]] Pulls find_pulls(const ssa::Function& f, ssa::FunctionId id, const ssa::Demand& demand);

}  // namespace nvm::vm
