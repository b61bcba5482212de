#include "vm/python/core/evaluate.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "bytecode/base/thread.h"
#include "vm/python/core/machines.h"
#include "vm/python/core/program_text.h"

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

// Nodes below some others that are not evaluated, each once.
std::vector<NodeRef> unevaluated_below(const std::vector<NodeRef>& roots) {
  std::vector<NodeRef> found, open;
  std::unordered_set<const Node*> seen;
  const auto meet = [&](const NodeRef& node) {
    if (!node->evaluated() && seen.insert(node.get()).second) open.push_back(node);
  };
  for (const NodeRef& root : roots) meet(root);
  while (!open.empty()) {
    NodeRef node = std::move(open.back());
    open.pop_back();
    for (const NodeRef& operand : node->operands) meet(operand);
    found.push_back(std::move(node));
  }
  return found;
}

// Those asked for, and those that somebody else holds: they would be computed again when he asks.
std::vector<NodeRef> to_store(const std::vector<NodeRef>& asked) {
  std::vector<NodeRef> below = unevaluated_below(asked);
  std::unordered_map<const Node*, long> used;
  for (const NodeRef& node : below)
    for (const NodeRef& operand : node->operands) ++used[operand.get()];
  std::unordered_set<const Node*> is_asked;
  for (const NodeRef& node : asked) is_asked.insert(node.get());
  std::vector<NodeRef> stored;
  for (const NodeRef& node : below)
    if (is_asked.contains(node.get()) || node.use_count() > used[node.get()] + 1) stored.push_back(node);
  return stored;
}

// Looks for signals while another thread runs the program.
lib::Result<lib::Run> run_watched(lib::Vm& vm, const lib::Program& program,
                                  const std::vector<lib::Value>& inputs) {
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

// Whether compiling would take longer than the operations themselves, which are then executed at once.
bool is_small(const std::vector<lib::Value>& inputs) {
  constexpr std::int64_t kSmall = 4096;
  for (const lib::Value& value : inputs) {
    if (value.size() >= kSmall) return false;
    if (value.kind() == lib::Kind::kSegdes && value.size() == 1 && value.int_at(0) >= kSmall) return false;
  }
  return true;
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
                                        const std::vector<lib::Value>& inputs, bool long_run) {
  if (long_run && on_main_thread()) return run_watched(vm, program, inputs);
  const Unlocked unlocked;
  return vm.run(program, inputs);
}

std::optional<Unevaluated> evaluate(const std::vector<NodeRef>& nodes, const lib::Options& options,
                                    bool long_run, lib::Run& run) {
  const std::vector<NodeRef> stored = to_store(nodes);
  if (stored.empty()) return std::nullopt;
  std::vector<Output> outputs;
  for (const NodeRef& node : stored)
    for (int k = 0; k < static_cast<int>(node->kinds.size()); ++k) outputs.push_back({node, k});
  const ProgramText program = program_of(outputs);
  lib::Options chosen = options;
  if (chosen.jit == lib::Jit::kAlways && is_small(program.inputs)) chosen.jit = lib::Jit::kHot;
  auto machine = take_machine(program.text, program.input_kinds, chosen);
  if (!machine) return Unevaluated{machine.failure(), nullptr};
  auto done = run_interruptibly((*machine)->vm, (*machine)->program, program.inputs, long_run);
  if (!done) {
    const std::uint32_t line = done.failure().line;  // the text's first line names the function
    const bool known = line >= 2 && line - 2 < program.instructions.size();
    const NodeRef at = known ? program.instructions[line - 2] : nullptr;
    if (!PyErr_Occurred()) give_back(std::move(*machine));
    return Unevaluated{done.failure(), at};
  }
  give_back(std::move(*machine));
  auto value = done->values.begin();
  for (const NodeRef& node : stored) {
    std::vector<lib::Value> values(value, value + static_cast<std::ptrdiff_t>(node->kinds.size()));
    value += static_cast<std::ptrdiff_t>(node->kinds.size());
    if (node->evaluated()) continue;  // by another thread, meanwhile
    node->values = std::move(values);
    node->depth = 0;
  }
  for (const NodeRef& node : stored) {
    Node dying;  // whose end is no recursion
    dying.operands = std::move(node->operands);
    node->operands.clear();
    node->indices.clear();
  }
  run = std::move(*done);
  return std::nullopt;
}

}  // namespace nvm::python
