// Ctrl-C stops a run cleanly; a second one ends the process.
#pragma once

#include "vm/lib/nvm.hpp"

namespace nvm::cmd {

// While it lives, SIGINT cancels `vm`. One at a time.
class Interruptible {
 public:
  explicit Interruptible(lib::Vm& vm);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

}  // namespace nvm::cmd
