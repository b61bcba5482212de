// Which vector instruction set generated code uses.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nvm::vm::cpu {

// kAvx2 includes FMA3 and BMI2 as found on every processor with AVX2 (SLEEF needs them); kAvx512 is F, DQ, VL
// and BW.
enum class Isa : std::uint8_t { kAvx2, kAvx512 };

[[nodiscard]] bool isa_supported(Isa isa);
// The best one that this processor has; none: generated code cannot run here.
[[nodiscard]] std::optional<Isa> best_isa();
[[nodiscard]] std::string_view isa_name(Isa isa);

// Elements per vector: doubles fill a register, masks and INT follow.
[[nodiscard]] constexpr int lanes_of(Isa isa) { return isa == Isa::kAvx512 ? 8 : 4; }

}  // namespace nvm::vm::cpu
