// What is done once, when it is first wanted, by any thread. Unlike std::call_once it may throw where there
// is no memory: that one lets exceptions pass through the C library, which then loads what unwinds them, and
// ends the process if it cannot.
#pragma once

#include <atomic>
#include <mutex>

namespace nvm {

class CallOnce {
 public:
  // Returns when f has been called and has returned, here or by another thread. What f throws is thrown, and
  // leaves it to the next caller.
  template <typename F>
  void operator()(F f) {
    if (done_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) return;
    f();
    done_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> done_{false};
  std::mutex mutex_;
};

}  // namespace nvm
