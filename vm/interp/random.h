// The generators behind RAND and SRAND (spec: random numbers). Draws are 31 bits, in element order.
#pragma once

#include <cstdint>
#include <memory>

#include "vm/prims/prims.h"

namespace nvm::vm {

enum class RandomKind : std::uint8_t {
  kPhilox,  // counter-based: draw i depends on seed and i alone
  kLibc,    // the additive feedback generator of libc, as the legacy interpreter was designed
  kLcg48,   // the 48-bit generator of the legacy reference build, which SRAND does not reach
};

// A generator in its unseeded state.
[[nodiscard]] std::unique_ptr<RandomSource> make_random(RandomKind kind);

// RAND as if the generator that gave these draws stood before them.
void draw_again(const PrimContext& context, const Draws& draws, std::span<Value> operands,
                std::span<Value> results);

}  // namespace nvm::vm
