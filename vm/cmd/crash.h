// What is said when nvm itself crashes: how to reproduce it.
#pragma once

#include <string>

namespace nvm::cmd {

// From now on a crash (a signal that no correct program gets) writes a note on standard error before it takes
// its course.
void install_crash_note();
// The run is being recorded: a crash is reproduced by replaying this file.
void crash_is_recorded(const std::string& path);

}  // namespace nvm::cmd
