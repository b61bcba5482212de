#include "vm/prims/operands.h"

namespace nvm::vm {

Isa best_isa() {
#if defined(NVM_X86_KERNELS)
  static const Isa best = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
      return Isa::kPortable;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl"))
      return Isa::kAvx2;
    return Isa::kAvx512;
  }();
  return best;
#else
  return Isa::kPortable;
#endif
}

const kernels::Table& kernel_table(Isa isa) {
  static const kernels::Table portable = [] {
    kernels::Table t;
    kernels::portable::fill(t);
    return t;
  }();
#if defined(NVM_X86_KERNELS)
  if (isa == Isa::kPortable) return portable;
  NVM_CHECK(isa <= best_isa(), "this machine lacks the instruction set");
  static const kernels::Table avx2 = [] {
    kernels::Table t;
    kernels::avx2::fill(t);
    return t;
  }();
  if (isa == Isa::kAvx2) return avx2;
  static const kernels::Table avx512 = [] {
    kernels::Table t;
    kernels::avx512::fill(t);
    return t;
  }();
  return avx512;
#else
  NVM_CHECK(isa == Isa::kPortable, "only the portable kernels are built");
  return portable;
#endif
}

}  // namespace nvm::vm
