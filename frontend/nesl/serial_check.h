// The serial-only rule on core code, where it is known which function every call means.
#pragma once

#include "bytecode/base/diagnostic.h"
#include "frontend/core.h"

namespace nvm::frontend {

// Reports the calls of serial-only primitives, and of functions that make such calls outside of
// apply-to-each, that stand inside an apply-to-each. `pos` is the place of the program's expression, which
// calls in other texts than `source` (bytecode/program/origin.h), and in the prelude, are reported at.
void check_serial(const core::Program& program, SourcePos pos, std::uint32_t source,
                  Diagnostics& diagnostics);

}  // namespace nvm::frontend
