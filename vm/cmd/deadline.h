// --time-limit for what waits: for a pipe, a device, somebody who reads.
#pragma once

namespace nvm::cmd {

// After these seconds system calls that wait end with EINTR, upon which their callers look at their budget
// (bytecode/base/budget.h). As the last resort the process ends with a message where it still goes on long
// after, say in a library that cannot be asked to stop. 0: never.
void watch_deadline(double seconds);

}  // namespace nvm::cmd
