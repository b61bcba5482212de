// What a thread has for itself until it ends. The C library ends the process where it has no memory to note a
// thread_local object with a destructor; this does not.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace nvm {

// Calls a function when a thread ends that has asked for it; not for the main thread, which ends with the
// process.
class AtThreadEnd {
 public:
  explicit AtThreadEnd(void (*end)(void*)) : good_(::pthread_key_create(&key_, end) == 0) {}
  // For the calling thread, with this argument, which is not null. False if the system refuses.
  bool note(const void* argument) const { return good_ && ::pthread_setspecific(key_, argument) == 0; }

 private:
  pthread_key_t key_{};
  bool good_;
};

// A T for each thread, made when it is first asked for; one for each `Tag`. Throws std::bad_alloc.
template <typename T, typename Tag>
class PerThread {
 public:
  static T& get() {
    if (mine_ == nullptr) [[unlikely]]
      make();
    return *mine_;
  }

 private:
  [[gnu::noinline]] static void make() {
    static const AtThreadEnd kAtEnd([](void* object) {
      mine_ = nullptr;
      delete static_cast<T*>(object);
    });
    auto made = std::make_unique<T>();
    if (!kAtEnd.note(made.get())) throw std::bad_alloc();
    mine_ = made.release();
  }
  static inline constinit thread_local T* mine_ = nullptr;
};

}  // namespace nvm
