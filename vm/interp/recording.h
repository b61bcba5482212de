// Calls that are not recorded: while one is open, the interpreter works as if there were no hook.
#pragma once

#include <span>

#include "vm/interp/combined.h"
#include "vm/interp/machine.h"
#include "vm/interp/room.h"

namespace nvm::vm {

class Recording {
 public:
  // All are one interpreter's.
  Recording(Machine& machine, ViewPolicy& views, const Combined& combined)
      : machine_(machine), views_(views), combined_(combined) {}

  // Before a call that will be open `depth` deep. Throws what computing promised arguments throws.
  void enter(ssa::FunctionId function, std::span<Value> arguments, std::int64_t depth);
  // Does leave() follow when the call that is open `depth` deep returns, or makes a tail call?
  [[nodiscard]] bool ends_at(std::int64_t depth) const { return depth == depth_; }
  // Before that, of each value that comes out of it.
  void hand_on(Value& value) const {
    if (hook_ != nullptr) combined_.written(value);
  }
  void leave();
  // Calls that are open so deep and deeper will not return.
  void reset(std::int64_t depth) {
    while (depth_ >= depth) leave();
  }

 private:
  Machine& machine_;
  ViewPolicy& views_;
  const Combined& combined_;
  RegionHook* hook_ = nullptr;  // which a call that is open goes without; null: there is none such
  std::int64_t depth_ = -1;     // of the innermost call that is not recorded or is watched
};

}  // namespace nvm::vm
