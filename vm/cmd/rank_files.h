// What the ranks of a launcher read before they run: the same files, each on its own host, and standard
// input, which launchers give to the first one.
#pragma once

#include <string>
#include <vector>

#include "vm/cmd/arguments.h"
#include "vm/ranks/agree.h"

namespace nvm::cmd {

// The program, unless it is `resumed`, and the inputs.
[[nodiscard]] std::vector<ranks::Fact> facts_of_files(const Arguments& arguments, bool resumed);
// Why not every rank can read what is the same on all of them, or "".
[[nodiscard]] std::string unreadable_on_ranks(const Arguments& arguments, bool resumed);

// Where --in names standard input, what the first rank reads there becomes that of all. Why it cannot be
// read, on all ranks alike, or "". Throws UsageError for what fails on this one.
[[nodiscard]] std::string share_standard_input(const Arguments& arguments);

}  // namespace nvm::cmd
