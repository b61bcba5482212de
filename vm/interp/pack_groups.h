// PACKs of one vector whose flags compare it with the same values: one pass makes all of them.
#pragma once

#include <vector>

#include "vm/interp/code.h"
#include "vm/interp/slots.h"

namespace nvm::vm {

// `formula`: by ValueId, results that may stay unwritten; flags must be such.
[[nodiscard]] std::vector<PackGroup> find_pack_groups(const ssa::Function& f, const Slots& slots,
                                                      const std::vector<bool>& formula);

// Of a PACK: as Step::group has it.
[[nodiscard]] std::int16_t group_of(const std::vector<PackGroup>& groups, const ssa::Inst& inst);

}  // namespace nvm::vm
