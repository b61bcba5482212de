// The Remora side of the commands: programs are checked, and not run yet.
#pragma once

#include "vm/cmd/arguments.h"
#include "vm/cmd/watch.h"

namespace nvm::cmd {

[[nodiscard]] bool is_remora(const Arguments& arguments);  // a .remora file
// nvm check; the exit status.
int check_remora(const Arguments& arguments, const Watch& watch);
// Of every other command: throws UsageError for a .remora file, before anything is read.
void refuse_remora(const Arguments& arguments);

}  // namespace nvm::cmd
