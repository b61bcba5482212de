// What a fork hands to its workers and they hand back, told to the thread sanitizer, which cannot see it:
// oneTBB is not built with it. Nothing in other builds.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

namespace nvm::vm {

// Work that oneTBB is asked to call `count` times, from any thread, and that goes on for as long as there is
// anything left, so that one call more does what calls that were not made would have. oneTBB may lose what is
// thrown, and fail to make threads: neither reaches it, or the caller, from here.
class ForkedCalls {
 public:
  explicit ForkedCalls(int count) : left_(count) {}

  template <typename F>
  void call(const F& work) noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (thrown_ == nullptr) thrown_ = std::current_exception();
    }
    left_.fetch_sub(1, std::memory_order_relaxed);
  }
  // `fork` makes the calls; `work` is what they would have done. Throws what the first one threw.
  template <typename F, typename G>
  void run(const F& fork, const G& work) {
    try {
      fork();
    } catch (...) {  // no memory or thread for it
    }
    if (left_.load(std::memory_order_relaxed) > 0 && thrown_ == nullptr) work();
    if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  std::atomic<int> left_;
  std::mutex mutex_;
  std::exception_ptr thrown_;
};

class ForkJoin {
 public:
#if defined(__SANITIZE_THREAD__)
  void fork() { __tsan_release(&forked_); }
  void join() { __tsan_acquire(&joined_); }
  template <typename F>
  void work(const F& worker) {
    __tsan_acquire(&forked_);
    worker();
    __tsan_release(&joined_);
  }

 private:
  char forked_ = 0, joined_ = 0;
#else
  void fork() {}
  void join() {}
  template <typename F>
  void work(const F& worker) {
    worker();
  }
#endif
};

}  // namespace nvm::vm
