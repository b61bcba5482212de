#include "vm/cmd/crash.h"

#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "bytecode/base/out_file.h"
#include "vm/cmd/commands.h"

namespace nvm::cmd {

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr std::size_t kStackBytes = std::size_t{64} << 10;
constexpr std::size_t kSmall = 4096;

constexpr const char* kAgain = "to keep what reproduces it, run it again with --record crash.rec";
char note[8192] = "";
char who[32] = "";                    // "rank 1: "
alignas(16) char stack[kStackBytes];  // an overflowing stack has no room for a handler

void note_is(const char* hint) {
  std::snprintf(note, sizeof note,
                "nvm: %sinternal error, the fault of nvm and not of the program\nnvm: %s\n", who, hint);
}

void on_crash(int signal) {
  remove_unfinished(false);  // what was recorded reproduces it
  if (::write(STDERR_FILENO, note, std::strlen(note)) < 0) note[0] = '\0';
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void install_crash_note() {
  note_is(kAgain);
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

namespace {

// The last resort for what no handler could catch: a destructor that needs memory, a thread of a library.
[[noreturn]] void end_without_memory() {
  static constexpr char kText[] = "nvm: out of memory, also to end in order\n";
  remove_unfinished(true);
  if (::write(STDERR_FILENO, kText, sizeof kText - 1) >= 0) ::_exit(kFault);
  ::_exit(kFault);
}

// The C++ library's reserve for exceptions is made at the start: where there was no room for it, nothing can
// be thrown.
bool no_memory() {
  void* const volatile probe = std::malloc(kSmall);
  std::free(probe);
  return probe == nullptr;
}

[[noreturn]] void on_terminate() {
  if (std::current_exception() == nullptr && no_memory()) end_without_memory();
  try {
    if (std::current_exception() != nullptr) throw;
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (...) {
  }
  std::abort();
}

// Before anything of nvm is initialised.
[[gnu::constructor(101)]] void install_last_resort() { std::set_terminate(on_terminate); }

}  // namespace

void end_process(int signal) {
  remove_unfinished(true);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void install_endings() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGALRM}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
      std::signal(signal, end_process);
  }
}

void crash_of_rank(int rank) {
  std::snprintf(who, sizeof who, "rank %d: ", rank);
  note_is(kAgain);
}

void crash_is_recorded(const std::string& path) {
  note_is(("to reproduce it: nvm replay " + path + ".part").c_str());
}

}  // namespace nvm::cmd
