// The NESL side of the commands.
#pragma once

#include "vm/cmd/arguments.h"

namespace nvm::cmd {

// Whether `run` is asked for NESL: an expression, a .nesl file or a script (#!).
[[nodiscard]] bool is_nesl(const Arguments& arguments);
int run_nesl(const Arguments& arguments);

}  // namespace nvm::cmd
