#include "vm/cmd/wakes.h"

#include <atomic>
#include <csignal>
#include <ctime>

namespace nvm::cmd {

namespace {

constexpr int kSignal = SIGURG;       // ignored by default: none that comes late ends the process
constexpr long kAgain = 100'000'000;  // nanoseconds from one to the next
timer_t timer{};
bool made = false;
std::atomic<int> wanted{0};

void wake(int) {}  // that it comes is enough

void set(long nanoseconds) {
  if (!made) return;
  itimerspec at{};
  at.it_value.tv_nsec = at.it_interval.tv_nsec = nanoseconds;
  ::timer_settime(timer, 0, &at, nullptr);
}

}  // namespace

void Wakes::prepare() {
  if (made) return;
  struct sigaction action {};  // without SA_RESTART
  action.sa_handler = wake;
  ::sigaction(kSignal, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = kSignal;
  made = ::timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
}

void Wakes::begin() {
  if (wanted++ == 0) set(kAgain);
}
void Wakes::end() {
  if (--wanted == 0) set(0);
}

}  // namespace nvm::cmd
