// Tail-parallel recursion: the results of a function's recursive calls are only concatenated, with each other
// and with sequences that contain no recursive call. Such recursion needs no way back up.
#pragma once

#include <cstdint>

#include "frontend/core.h"

namespace nvm::frontend {

// Is the function such a one? Its result is a sequence, it calls itself, and every recursive call is the
// result itself, an operand of ++, an element of what is flattened (written out or made by an apply-to-each),
// or an element of a sequence of results of which each constant index is taken at most once, as an operand of
// ++. Recursion through other functions does not count.
[[nodiscard]] bool is_tail_parallel(const core::Program& program, std::int32_t function);

// Does such a function call itself in an apply-to-each only? Then it is serial code just once, for the
// outermost call.
[[nodiscard]] bool recurs_in_each(const core::Program& program, std::int32_t function);

}  // namespace nvm::frontend
