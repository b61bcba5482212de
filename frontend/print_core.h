// Core code as text, for listings and tests.
#pragma once

#include <string>

#include "frontend/core.h"

namespace nvm::frontend::core {

// One function per line: "fact(v0: int): int = if <(v0, 1) then 1 else ...".
[[nodiscard]] std::string print_core(const Program& program);
[[nodiscard]] std::string print_core(const Program& program, const Expr& expr);

}  // namespace nvm::frontend::core
