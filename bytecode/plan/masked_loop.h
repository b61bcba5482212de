// A lifted function that is a loop of each of its instances alone, as one kernel: every lane takes an
// instance round by round to its end, in registers, and waits, masked, for the others. Nothing is packed, and
// a round that few lanes need costs only theirs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bytecode/plan/plan.h"
#include "bytecode/ssa/ssa.h"

namespace nvm::plan {

struct MaskedLoop {
  Plan plan;                   // one kernel that repeats, over length 1; length 0 is one
  std::vector<VarId> inputs;   // by parameter; kNone: the frame
  std::vector<VarId> outputs;  // by result
};

// The function's meaning for one instance, which is its meaning for many: that is what lifted says
// (ssa::LiftedInfo). It traps where that instance ends the program, and where it goes round more often than
// the limit. `storages` of arguments, by parameter. Nothing, and `refusal` says why in words, if an instance
// has more than one element of something, or goes on after its recursive call.
[[nodiscard]] std::optional<MaskedLoop> build_masked_loop(const ssa::Module& module, ssa::FunctionId function,
                                                          std::span<const Storage> storages,
                                                          std::string& refusal);
// Of the widest storages.
[[nodiscard]] std::vector<Storage> widest_storages(const ssa::Module& module, ssa::FunctionId function);

}  // namespace nvm::plan
