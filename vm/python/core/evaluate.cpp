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

// Looks for signals while another thread runs the program.
lib::Result<lib::Run> run_watched(lib::Vm& vm, const lib::Program& program,
                                  std::span<const lib::Value> inputs) {
  std::mutex mutex;
  std::condition_variable done;
  std::optional<lib::Result<lib::Run>> result;
  const Thread thread([&] {
    auto made = vm.run(program, inputs);
    const std::lock_guard lock(mutex);
    result.emplace(std::move(made));
    done.notify_one();
  });
  constexpr std::chrono::milliseconds kLook(30);
  bool interrupted = false;
  const auto wait = [&] {
    const Unlocked unlocked;
    std::unique_lock lock(mutex);
    return done.wait_for(lock, kLook, [&] { return result.has_value(); });
  };
  while (!wait()) {
    if (!interrupted && PyErr_CheckSignals() != 0) interrupted = true;
    if (interrupted) vm.cancel();
  }
  return std::move(*result);
}

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

lib::Result<lib::Run> run_interruptibly(lib::Vm& vm, const lib::Program& program,
                                        std::span<const lib::Value> inputs, bool long_run) {
  if (long_run && on_main_thread()) return run_watched(vm, program, inputs);
  const Unlocked unlocked;
  return vm.run(program, inputs);
}

}  // namespace nvm::python
