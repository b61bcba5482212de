// A limit on time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>

#include "bytecode/base/thread.h"
#include "vm/interp/machine.h"

namespace nvm::lib {

// Raises `stop` after some seconds unless it is destroyed before.
class Alarm {
 public:
  Alarm(double seconds, std::atomic<vm::Stop>& stop) {
    if (seconds <= 0) stop.store(vm::Stop::kTime);
    if (seconds <= 0 || seconds == std::numeric_limits<double>::infinity()) return;
    thread_.start([this, seconds, &stop] {
      std::unique_lock lock(mutex_);
      if (!wake_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done_; }))
        stop.store(vm::Stop::kTime);
    });
  }
  ~Alarm() {
    const std::lock_guard lock(mutex_);
    done_ = true;
    wake_.notify_one();
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  Thread thread_;  // ended first: it uses the others
};

}  // namespace nvm::lib
