#include "vm/cmd/interrupt.h"

#include <csignal>

#include "vm/cmd/crash.h"
#include "vm/cmd/wakes.h"

namespace nvm::cmd {

namespace {

std::atomic<lib::Vm*> running{nullptr};
std::atomic<bool> was_asked{false};
std::atomic<bool> wakes{false};

// The flag first: a run that clears an earlier wish looks at the flag then.
void on_interrupt(int) {
  std::signal(SIGINT, end_process);
  was_asked.store(true);
  if (lib::Vm* vm = running.load()) vm->cancel();
  if (!wakes.exchange(true)) Wakes::begin();
}

}  // namespace

Interruptible::Interruptible(lib::Vm* vm) {
  was_asked.store(false);
  running.store(vm);
  Wakes::prepare();
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &action, nullptr);  // and a program that waits for input waits no longer
}

void Interruptible::also(lib::Vm* vm) { running.store(vm); }

void Interruptible::end() {
  std::signal(SIGINT, end_process);
  if (wakes.exchange(false)) Wakes::end();
  running.store(nullptr);
}

const std::atomic<bool>* Interruptible::asked() { return &was_asked; }

}  // namespace nvm::cmd
