// What time() measures is a function of its own.
#pragma once

#include "frontend/core.h"

namespace nvm::frontend {

// Puts each time(e) that is not the whole body of its function into a function whose argument are the
// variables that it uses, and calls that: what was computed before, or is computed again behind, is not taken
// for what is measured.
void outline_timed(core::Program& program);
// Is time(e) all that the body does, but for naming parts of the argument?
[[nodiscard]] bool ends_timed(const core::Expr& body);

}  // namespace nvm::frontend
