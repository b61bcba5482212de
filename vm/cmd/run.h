// Running the program of a command line, for all commands that do.
#pragma once

#include <cstdio>
#include <string>

#include "vm/cmd/arguments.h"
#include "vm/cmd/watch.h"

namespace nvm::cmd {

// VCODE. `out` is the program's standard output, unless --output says otherwise. Prints its results there or,
// if `explain` names stages, what the compiling tier did. The exit status.
int run_file(const Arguments& arguments, const Watch& watch, std::FILE* out, const std::string& explain);

// VCODE or NESL.
int run_program(const Arguments& arguments, const Watch& watch, std::FILE* out);

}  // namespace nvm::cmd
