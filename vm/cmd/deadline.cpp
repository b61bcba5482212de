#include "vm/cmd/deadline.h"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>

#include "vm/cmd/commands.h"

namespace nvm::cmd {

namespace {

constexpr double kGrace = 10;     // seconds for what is under way to end in order
constexpr double kLongest = 3e7;  // beyond it no clock can tell

void end_now(int) {
  constexpr char kMessage[] = "nvm: time limit reached; what was under way could not be ended in order\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  ::_exit(kFault);
}

}  // namespace

void end_long_after(double seconds) {
  if (!(seconds > 0 && seconds < kLongest)) return;
  std::signal(SIGALRM, end_now);
  const double at = seconds * 1.5 + kGrace;
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(at);
  timer.it_value.tv_usec = 1;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace nvm::cmd
