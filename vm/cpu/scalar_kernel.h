// Kernels over a space of length kOne: evaluated directly, so that chains of scalars cost no machine code.
#pragma once

#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

[[nodiscard]] plan::RunStatus run_scalar_kernel(const plan::Kernel& kernel, RunContext& context);

}  // namespace nvm::vm::cpu
