// Which vectors may stay pulls: elements of another vector by indices, not yet moved. A recursion over a list
// of records reads all fields of the next list by the same indices and passes them on; where they are then
// moved once more, the indices are moved in their place, once for all fields, and fields that a step does not
// look at are never read.
#pragma once

#include <vector>

#include "bytecode/ssa/ssa.h"

namespace nvm::vm {

struct Pulls {
  std::vector<bool> may;  // by ValueId: whoever reads it must be ready for a pull
  std::vector<bool>
      leaves;  // by ValueId: result of a BPERMUTE for such a parameter of the call that reads it
  // Of an instruction with this first result: does it take a pull as operand 0 and give one?
  [[nodiscard]] bool takes(const ssa::Inst& inst) const;
};

// `formula`: by ValueId, results that stay unwritten in another way.
[[nodiscard]] Pulls find_pulls(const ssa::Function& f, ssa::FunctionId id, const std::vector<bool>& formula);

}  // namespace nvm::vm
