#include "vm/python/core/machines.h"

#include <algorithm>
#include <list>
#include <unordered_map>
#include <vector>

namespace nvm::python {

namespace {

constexpr std::size_t kMostPrograms = 512;  // loaded
constexpr std::size_t kMostIdle = 32;       // machines, which keep memory and kernels

using Idle = std::list<std::unique_ptr<Machine>>;  // least recently used first
using Programs = std::unordered_map<std::string, lib::Program>;

Idle*& idle() {
  static auto* machines = new Idle;  // never destroyed: results may outlive the module
  return machines;
}
Programs& programs() {
  static auto* loaded = new Programs;
  return *loaded;
}

std::string key_of(const std::string& text, const std::vector<lib::Kind>& inputs, const lib::Options& o) {
  std::string key = text;
  for (const lib::Kind kind : inputs) key += static_cast<char>('0' + static_cast<int>(kind));
  for (const auto number : {static_cast<std::int64_t>(o.jit), static_cast<std::int64_t>(o.fusion),
                            static_cast<std::int64_t>(o.engine), static_cast<std::int64_t>(o.threads),
                            static_cast<std::int64_t>(o.memory), o.max_depth})
    key += " " + std::to_string(number);
  return key + o.explain;
}

}  // namespace

lib::Result<std::unique_ptr<Machine>> take_machine(const std::string& text,
                                                   const std::vector<lib::Kind>& inputs,
                                                   const lib::Options& options) {
  std::string key = key_of(text, inputs, options);
  Idle& machines = *idle();
  const auto found = std::find_if(machines.rbegin(), machines.rend(),
                                  [&](const std::unique_ptr<Machine>& m) { return m->key == key; });
  if (found != machines.rend()) {
    std::unique_ptr<Machine> machine = std::move(*found);
    machines.erase(std::next(found).base());
    return machine;
  }
  auto program = programs().find(key);
  if (program == programs().end()) {
    lib::LoadOptions load;
    load.inputs = inputs;
    auto loaded = lib::Program::from_text(text, "arrays", load);
    if (!loaded) return loaded.failure();
    if (programs().size() >= kMostPrograms) programs().clear();
    program = programs().emplace(key, *loaded).first;
  }
  return std::make_unique<Machine>(Machine{std::move(key), program->second, lib::Vm(options)});
}

void give_back(std::unique_ptr<Machine> machine) {
  Idle& machines = *idle();
  machines.push_back(std::move(machine));
  if (machines.size() > kMostIdle) machines.pop_front();
}

void abandon_machines() { idle() = new Idle; }

}  // namespace nvm::python
