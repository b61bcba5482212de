// Typed trees to core code: one monomorphic function for every function, concrete argument type and choice of
// function values.
#pragma once

#include <memory>

#include "frontend/nesl/environment.h"

namespace nvm::frontend {

namespace core {
struct Program;
}

// Core code for the value of `exp`, a checked expression without free local variables from the text with this
// Source::number, which lines in the code carry (bytecode/program/origin.h). Null, with errors, if
// a function it needs has no body or would need endlessly many versions.
std::shared_ptr<core::Program> specialise(Environment& environment, const Expr& exp, std::uint32_t source,
                                          Diagnostics& diagnostics);

// Built from literals, variables bound to such, tuples and constructors only.
[[nodiscard]] bool is_constant(const Expr& exp);

}  // namespace nvm::frontend
