#include "vm/cmd/deadline.h"

#include <sys/time.h>
#include <unistd.h>

#include <cmath>
#include <csignal>

#include "vm/cmd/commands.h"
#include "vm/cmd/wakes.h"

namespace nvm::cmd {

namespace {

constexpr double kGrace = 10;     // seconds for what is under way to end in order
constexpr double kLongest = 3e7;  // beyond it no clock can tell
constexpr double kBehind = 0.2;   // the deadline, which budgets take from their clock

volatile std::sig_atomic_t reached = 0;

// At the deadline what waits in the kernel waits no longer, and looks at its budget; then the last resort.
void at_deadline(int) {
  if (reached == 0) {
    reached = 1;
    Wakes::begin();
    return;
  }
  constexpr char kMessage[] = "nvm: time limit reached; what was under way could not be ended in order\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  ::_exit(kFault);
}

itimerval every(double first, double then) {
  const auto time = [](double seconds) {
    return timeval{static_cast<time_t>(seconds),
                   static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6)};
  };
  return {time(then), time(first)};
}

}  // namespace

void watch_deadline(double seconds) {
  if (!(seconds > 0 && seconds < kLongest)) return;
  Wakes::prepare();
  struct sigaction action {};  // without SA_RESTART
  action.sa_handler = at_deadline;
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval timer = every(seconds + kBehind, seconds * 0.5 + kGrace);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace nvm::cmd
