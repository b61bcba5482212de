// What is done where something takes too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "bytecode/base/thread.h"

namespace nvm {

// Calls a function, on a thread of its own, some seconds after it was set, unless it is destroyed before.
class Late {
 public:
  Late() = default;
  ~Late() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    wake_.notify_one();
  }
  Late(const Late&) = delete;
  Late& operator=(const Late&) = delete;

  // Once.
  template <typename F>
  void set(double seconds, F then) {
    thread_.start([this, seconds, then = std::move(then)]() mutable {
      std::unique_lock lock(mutex_);
      if (!wake_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return over_; })) then();
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  Thread thread_;  // ended first: it uses the others
};

}  // namespace nvm
