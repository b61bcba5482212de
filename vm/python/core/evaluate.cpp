#include "vm/python/core/evaluate.h"

#include <chrono>
#include <condition_variable>
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

}  // namespace

void until_interrupted(const std::function<void()>& work, const std::function<void()>& stop) {
  if (!on_main_thread()) {
    const Unlocked unlocked;
    return work();
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false, interrupted = false;
  const Thread thread([&] {
    work();
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_one();
  });
  constexpr std::chrono::milliseconds kLook(30);
  const auto wait = [&] {
    const Unlocked unlocked;
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, kLook, [&] { return done; });
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
