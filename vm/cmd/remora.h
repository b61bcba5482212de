// The Remora side of the commands: programs are checked, and not run yet.
#pragma once

#include <cstdio>

#include "vm/cmd/arguments.h"
#include "vm/cmd/watch.h"

namespace nvm::cmd {

[[nodiscard]] bool is_remora(const Arguments& arguments);  // a .remora file
// nvm check; the exit status.
int check_remora(const Arguments& arguments, const Watch& watch);
// nvm run; results go to `to`. The exit status.
int run_remora(const Arguments& arguments, const Watch& watch, std::FILE* to);
// The commands that run or compile a program: its errors or, if there are none, that this does not work yet.
int refuse_remora(const Arguments& arguments, const Watch& watch);

}  // namespace nvm::cmd
