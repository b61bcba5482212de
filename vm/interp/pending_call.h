// The recursive call of a level (level_loop.h), which waits until the level is done: its arguments, and the
// instructions that use what it will return.
#pragma once

#include <vector>

#include "vm/interp/call_stack.h"
#include "vm/interp/combined.h"

namespace nvm::vm {

class PendingCall : private Room {
 public:
  PendingCall(const Room& shared, const CallStack& calls, const Combined& combined)
      : Room(shared), calls_(calls), combined_(combined) {}

  // Does the outermost call go by levels?
  void begin(bool by_levels) { by_levels_ = by_levels; }
  [[nodiscard]] bool by_levels() const { return by_levels_; }
  // Is what is executed a level?
  [[nodiscard]] bool open_here() const { return by_levels_ && calls_.empty(); }

  // The call waits, and the function goes on with pending slices for its results.
  void leave_call(const Step& step);
  // A move of those, whose operands are in scratch.
  void leave_move(const Step& step);

  [[nodiscard]] bool waits() const { return !arguments_.empty(); }
  [[nodiscard]] std::vector<Value>& arguments() { return arguments_; }
  void clear() { arguments_.clear(); }

 private:
  const CallStack& calls_;
  const Combined& combined_;
  std::vector<Value> arguments_;
  bool by_levels_ = false;
};

// Faults where results are not as long as the analysis of levels says.
[[nodiscard]] Fault not_so_long();

}  // namespace nvm::vm
