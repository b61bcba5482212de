// What is said when nvm itself crashes: how to reproduce it.
#pragma once

#include <string>

namespace nvm::cmd {

// From now on a crash (a signal that no correct program gets) writes a note on standard error before it takes
// its course.
void install_crash_note();
// A signal that ends the process takes files with it that are not whole.
void install_endings();
// The handler for such a signal.
void end_process(int signal);
// This process is one of several ranks.
void crash_of_rank(int rank);
// The run is being recorded: a crash is reproduced by replaying what this file has got so far.
void crash_is_recorded(const std::string& path);

}  // namespace nvm::cmd
