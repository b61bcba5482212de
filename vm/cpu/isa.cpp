#include "vm/cpu/isa.h"

namespace nvm::vm::cpu {

bool isa_supported(Isa isa) {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  if (isa == Isa::kAvx2) return avx2;
  return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

std::optional<Isa> best_isa() {
  if (isa_supported(Isa::kAvx512)) return Isa::kAvx512;
  if (isa_supported(Isa::kAvx2)) return Isa::kAvx2;
  return std::nullopt;
}

std::string_view isa_name(Isa isa) { return isa == Isa::kAvx512 ? "AVX-512" : "AVX2"; }

}  // namespace nvm::vm::cpu
