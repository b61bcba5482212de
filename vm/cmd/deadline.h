// The last resort behind --time-limit.
#pragma once

namespace nvm::cmd {

// Ends the process with a message where it goes on long after these seconds, say in a library that cannot be
// asked to stop: what looks at its budget (bytecode/base/budget.h) has ended before. 0: never.
void end_long_after(double seconds);

}  // namespace nvm::cmd
