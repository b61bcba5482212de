#include "vm/cmd/deadline.h"

#include <sys/time.h>
#include <unistd.h>

#include <cmath>
#include <csignal>

#include "vm/cmd/commands.h"

namespace nvm::cmd {

namespace {

constexpr double kGrace = 10;     // seconds for what is under way to end in order
constexpr double kLongest = 3e7;  // beyond it no clock can tell
constexpr double kBehind = 0.2;   // the deadline, which budgets take from their clock

constexpr long kAgain = 100'000;  // microseconds from one signal to the next
volatile std::sig_atomic_t signals_left = 0;

// That it comes is enough at first: what waits in the kernel waits no longer, and looks at its budget. It
// comes again for what was about to wait.
void at_deadline(int) {
  if (signals_left > 0) {
    signals_left = signals_left - 1;
    return;
  }
  constexpr char kMessage[] = "nvm: time limit reached; what was under way could not be ended in order\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  ::_exit(kFault);
}

}  // namespace

void watch_deadline(double seconds) {
  if (!(seconds > 0 && seconds < kLongest)) return;
  signals_left = static_cast<std::sig_atomic_t>((seconds * 0.5 + kGrace) * 1e6 / kAgain);
  struct sigaction action {};  // without SA_RESTART
  action.sa_handler = at_deadline;
  ::sigaction(SIGALRM, &action, nullptr);
  const double at = seconds + kBehind;
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(at);
  timer.it_value.tv_usec = static_cast<suseconds_t>((at - std::floor(at)) * 1e6);
  timer.it_interval.tv_usec = kAgain;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace nvm::cmd
