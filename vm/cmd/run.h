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

// How VCODE is loaded; the path "-" is standard input.
[[nodiscard]] lib::LoadOptions load_options_of(const Arguments& arguments);
[[nodiscard]] lib::Result<lib::Program> load_vcode(const std::string& path, const lib::LoadOptions& options,
                                                   const Watch& watch);
// Says on standard error what went wrong; the exit status.
int report(const lib::Failure& failure);

// VCODE or NESL.
int run_program(const Arguments& arguments, const Watch& watch, std::FILE* out);

}  // namespace nvm::cmd
