// The generators behind RAND and SRAND (spec: random numbers). Draws are 31 bits, in element order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vm/prims/prims.h"

namespace nvm::vm {

enum class RandomKind : std::uint8_t {
  kPhilox,  // counter-based: draw i depends on seed and i alone
  kLibc,    // the additive feedback generator of libc, as the legacy interpreter was designed
  kLcg48,   // the 48-bit generator of the legacy reference build, which SRAND does not reach
};

// One whose later draws follow from a few words.
class Generator : public RandomSource {
 public:
  [[nodiscard]] virtual std::vector<std::uint64_t> state() const = 0;
  // False: these are no words of a generator of this kind.
  [[nodiscard]] virtual bool set_state(std::span<const std::uint64_t> words) = 0;
};

// In its unseeded state.
[[nodiscard]] std::unique_ptr<Generator> make_random(RandomKind kind);

// RAND as if the generator that gave these draws stood before them.
void draw_again(const PrimContext& context, const Draws& draws, std::span<Value> operands,
                std::span<Value> results);

}  // namespace nvm::vm
