// The one way to start a thread: what is thrown on it ends its function, not the process, and it is waited
// for.
#pragma once

#include <atomic>
#include <system_error>
#include <thread>
#include <utility>

namespace nvm {

class Thread {
 public:
  Thread() = default;
  // Throws std::system_error where the system has no more threads.
  template <typename F>
  explicit Thread(F f) {
    start(std::move(f));
  }
  ~Thread() { join(); }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  // In place of none.
  template <typename F>
  void start(F f) {
    join();
    try {
      thread_ = std::thread([this, f = std::move(f)]() mutable noexcept { run(f); });
    } catch (const std::system_error& e) {
      throw std::system_error(e.code(), "cannot start a thread");
    }
  }
  [[nodiscard]] bool running() const { return thread_.joinable(); }  // or not waited for yet
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  // Whether its function ended by an exception, so far.
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_acquire); }

 private:
  template <typename F>
  void run(F& f) noexcept {
    try {
      f();
    } catch (...) {
      failed_.store(true, std::memory_order_release);
    }
  }

  std::atomic<bool> failed_{false};
  std::thread thread_;
};

}  // namespace nvm
