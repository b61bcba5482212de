// Ctrl-C stops a run cleanly; a second one ends the process.
#pragma once

#include <atomic>

#include "vm/lib/nvm.hpp"

namespace nvm::cmd {

// While it lives, SIGINT sets the flag and cancels the machine, if there is one. One at a time.
class Interruptible {
 public:
  explicit Interruptible(lib::Vm* vm = nullptr);
  ~Interruptible() { end(); }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  void also(lib::Vm* vm);
  void end();
  // The flag: what Options::cancelled is to be.
  [[nodiscard]] static const std::atomic<bool>* asked();
};

}  // namespace nvm::cmd
