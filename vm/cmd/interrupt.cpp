#include "vm/cmd/interrupt.h"

#include <atomic>
#include <csignal>

namespace nvm::cmd {

namespace {

std::atomic<lib::Vm*> running{nullptr};

void on_interrupt(int) {
  std::signal(SIGINT, SIG_DFL);
  if (lib::Vm* vm = running.load()) vm->cancel();
}

}  // namespace

Interruptible::Interruptible(lib::Vm& vm) {
  running.store(&vm);
  std::signal(SIGINT, on_interrupt);
}

Interruptible::~Interruptible() {
  std::signal(SIGINT, SIG_DFL);
  running.store(nullptr);
}

}  // namespace nvm::cmd
