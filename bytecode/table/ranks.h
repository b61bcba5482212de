// Which instruction ranks.
#pragma once

#include "bytecode/table/op_info.h"

namespace nvm {

// The smallest first, or, `down`, the largest.
[[nodiscard]] inline Op rank_op(bool down) { return down ? Op::kRankDown : Op::kRankUp; }

}  // namespace nvm
