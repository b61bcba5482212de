// A checked program as text: what was left out is written out.
#pragma once

#include <string>

#include "frontend/remora/program.h"

namespace nvm::remora {

// Instantiations stand as f{types | indices}, parameters have their types, functions have their results.
[[nodiscard]] std::string print(const Expr& e, const Program& program);
// "(define name : type body)", or an expression.
[[nodiscard]] std::string print(const Form& form, const Program& program);

}  // namespace nvm::remora
