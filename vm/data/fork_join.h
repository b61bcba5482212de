// What a fork hands to its workers and they hand back, told to the thread sanitizer, which cannot see it:
// oneTBB is not built with it. Nothing in other builds.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace nvm::vm {

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
