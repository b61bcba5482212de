// The NESL side of the commands.
#pragma once

#include <cstdio>

#include "vm/cmd/arguments.h"
#include "vm/cmd/figures.h"
#include "vm/cmd/watch.h"
#include "vm/lib/nesl.hpp"

namespace nvm::cmd {

inline constexpr char kStandardInput[] = "standard input";  // its name in messages

// Whether `run` is asked for NESL: an expression, a .nesl file or a script (#!).
[[nodiscard]] bool is_nesl(const Arguments& arguments, const Watch& watch);
// Runs it; prints results or, if `explain` names stages, what the compiling tier did. `to` is the programs'
// standard output, unless --output says otherwise.
int run_nesl(const Arguments& arguments, const Watch& watch, std::FILE* to, const std::string& explain = {});

[[nodiscard]] int status_of(lib::NeslStatus status);
// Runs the file of the command line, or standard input if that is called "-"; nothing if there is none.
[[nodiscard]] lib::NeslStatus run_operand(lib::Nesl& nesl, const Arguments& arguments, const Watch& watch);
// The same, and then each expression of the command line.
[[nodiscard]] lib::NeslStatus run_all(lib::Nesl& nesl, const Arguments& arguments, const Watch& watch);
// --in NAME=FILE, each; the lengths of those that are sequences
Lengths bind_inputs(lib::Nesl& nesl, const Arguments& arguments);

}  // namespace nvm::cmd
