#include "vm/python/core/evaluate.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "bytecode/base/thread.h"

namespace nvm::python {

namespace {

// Without Python's lock while it lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() { PyEval_RestoreThread(state_); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

bool on_main_thread() {
  static const unsigned long main = [] {
    PyObject* threading = PyImport_ImportModule("threading");
    PyObject* thread =
        threading != nullptr ? PyObject_CallMethod(threading, "main_thread", nullptr) : nullptr;
    PyObject* ident = thread != nullptr ? PyObject_GetAttrString(thread, "ident") : nullptr;
    const unsigned long number = ident != nullptr ? PyLong_AsUnsignedLong(ident) : 0;
    Py_XDECREF(ident), Py_XDECREF(thread), Py_XDECREF(threading);
    PyErr_Clear();
    return number;
  }();
  return PyThread_get_thread_ident() == main;
}

// A thread that works while the main thread waits for it and for signals. It is kept: to start one takes
// longer than a small call.
class Helper {
 public:
  Helper() : thread_([this] { serve(); }) {}
  ~Helper() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  void begin(const std::function<void()>& work) {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    changed_.notify_all();
  }
  // Whether it is done after this time.
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return work_ == nullptr; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return ended_ || work_ != nullptr; });
      if (work_ == nullptr) return;
      lock.unlock();
      (*work_)();
      lock.lock();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
  bool ended_ = false;
  Thread thread_;
};

// The main thread's; what a signal's handler runs meanwhile has another one. A child process has none of its
// parent's threads, and cannot end them.
struct Idle {
  std::unique_ptr<Helper> helper;
  pid_t process = 0;
};
Idle& idle() {
  static Idle& of_main_thread = *new Idle;  // the end of the process is its thread's
  if (of_main_thread.process != ::getpid()) {
    static_cast<void>(of_main_thread.helper.release());
    of_main_thread.process = ::getpid();
  }
  return of_main_thread;
}

class Helping {
 public:
  Helping() : helper_(std::move(idle().helper)) {
    if (helper_ == nullptr) helper_ = std::make_unique<Helper>();
  }
  ~Helping() { idle().helper = std::move(helper_); }
  Helping(const Helping&) = delete;
  Helping& operator=(const Helping&) = delete;
  Helper* operator->() { return helper_.get(); }

 private:
  std::unique_ptr<Helper> helper_;
};

}  // namespace

void until_interrupted(const std::function<void()>& work, const std::function<void()>& stop) {
  if (!on_main_thread()) {
    const Unlocked unlocked;
    return work();
  }
  bool interrupted = false;
  constexpr std::chrono::milliseconds kLook(30);
  Helping helper;
  helper->begin(work);
  const auto wait = [&] {
    const Unlocked unlocked;
    return helper->wait(kLook);
  };
  while (!wait()) {
    if (!interrupted && PyErr_CheckSignals() != 0) interrupted = true;
    if (interrupted) stop();
  }
}

lib::Result<lib::Run> run_interruptibly(lib::Vm& vm, const lib::Program& program,
                                        std::span<const lib::Value> inputs, bool long_run) {
  if (!long_run) {
    const Unlocked unlocked;
    return vm.run(program, inputs);
  }
  std::optional<lib::Result<lib::Run>> result;
  until_interrupted([&] { result.emplace(vm.run(program, inputs)); }, [&] { vm.cancel(); });
  return std::move(*result);
}

}  // namespace nvm::python
