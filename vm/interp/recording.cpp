#include "vm/interp/recording.h"

#include <utility>

namespace nvm::vm {

void Recording::enter(ssa::FunctionId function, std::span<Value> arguments, std::int64_t depth) {
  RegionHook* const hook = machine_.hook;
  if (hook == nullptr) return;
  switch (hook->call_begins(function, arguments, depth)) {
    case CallWay::kRecorded: return;
    case CallWay::kWatched: depth_ = depth; return;
    case CallWay::kUnrecorded: break;
  }
  for (Value& argument : arguments) hook->force(argument);
  hook->finish();
  combined_.repeat_equal(arguments);
  took(machine_.prims, FastPath::kUnrecorded);
  hook_ = hook;
  machine_.hook = nullptr;
  views_ = ViewPolicy(machine_);
  depth_ = depth;
}

void Recording::leave() {
  if (hook_ != nullptr) {
    machine_.hook = std::exchange(hook_, nullptr);
    views_ = ViewPolicy(machine_);
  }
  depth_ = machine_.hook->call_ends(depth_);
}

}  // namespace nvm::vm
