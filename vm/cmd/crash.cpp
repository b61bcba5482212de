#include "vm/cmd/crash.h"

#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstring>

namespace nvm::cmd {

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr std::size_t kStackBytes = std::size_t{64} << 10;

char note[8192] =
    "nvm: internal error, the fault of nvm and not of the program\n"
    "nvm: to keep what reproduces it, run it again with --record crash.rec\n";
alignas(16) char stack[kStackBytes];  // an overflowing stack has no room for a handler

void on_crash(int signal) {
  if (::write(STDERR_FILENO, note, std::strlen(note)) < 0) note[0] = '\0';
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void install_crash_note() {
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  ::sigaltstack(&alternative, nullptr);
  for (const int signal : kSignals) {
    struct sigaction action {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK | SA_RESETHAND;
    ::sigaction(signal, &action, nullptr);
  }
}

void crash_is_recorded(const std::string& path) {
  const std::string text =
      "nvm: internal error, the fault of nvm and not of the program\nnvm: to reproduce it: nvm replay " +
      path + "\n";
  std::strncpy(note, text.c_str(), sizeof note - 1);
}

}  // namespace nvm::cmd
