// PACKs of one vector whose flags compare it with the same values: one pass makes all of them.
#pragma once

#include <vector>

#include "bytecode/ssa/demand.h"
#include "vm/interp/code.h"
#include "vm/interp/slots.h"

namespace nvm::vm {

// Flags are such that may stay delayed.
[[nodiscard]] std::vector<PackGroup> find_pack_groups(const ssa::Function& f, const Slots& slots,
                                                      const ssa::Demand& demand);

// Of a PACK: as Step::group has it.
[[nodiscard]] std::int16_t group_of(const std::vector<PackGroup>& groups, const ssa::Inst& inst);

}  // namespace nvm::vm
