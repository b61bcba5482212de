#pragma once

#include "gpu/codegen/code.h"

namespace nvm::gpu {

// Sets `lane` and `after` of all kernels: two kernels of which one reads what the other makes are ordered, by
// their lane or by `after`.
void choose_lanes(Code& code);

}  // namespace nvm::gpu
