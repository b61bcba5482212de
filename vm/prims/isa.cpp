#include <mutex>

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

constinit std::atomic<const kernels::Table*> g_kernel_tables[3] = {};

const kernels::Table& make_kernel_table(Isa isa) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto& place = g_kernel_tables[static_cast<int>(isa)];
  if (const auto* made = place.load()) return *made;
  NVM_CHECK(isa <= best_isa(), "this machine lacks the instruction set");
  auto* t = new kernels::Table;
  switch (isa) {
    case Isa::kPortable: kernels::portable::fill(*t); break;
#if defined(NVM_X86_KERNELS)
    case Isa::kAvx2: kernels::avx2::fill(*t); break;
    case Isa::kAvx512: kernels::avx512::fill(*t); break;
#else
    case Isa::kAvx2:
    case Isa::kAvx512: break;
#endif
  }
  place.store(t, std::memory_order_release);
  return *t;
}

}  // namespace nvm::vm
