// Recursion levels: how many calls of a function are open around one. A call in tail position goes on from
// the level of the call that it replaces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "vm/interp/observer.h"

namespace nvm::vm {

class Levels {
 public:
  void begin(std::size_t functions) {
    next_.assign(functions, 0);
    open_.clear();
    left_ = {-1, 0, 0};
  }
  // As if these calls had been entered, outermost first.
  void restart(std::span<const OpenCall> calls) {
    std::fill(next_.begin(), next_.end(), 0);
    open_.clear();
    for (const OpenCall& call : calls) enter({call.function, call.inst, {}, false, call.serial});
  }
  // The level of the call that begins.
  std::int32_t enter(const CallStart& call) {
    std::int32_t& next = next_[static_cast<std::size_t>(call.function)];
    const bool goes_on = call.tail && left_.function == call.function;
    const std::int32_t level = goes_on ? left_.level + 1 : next;
    open_.push_back({call.function, level, next});
    next = level + 1;
    return level;
  }
  void leave() {
    if (open_.empty()) return;
    left_ = open_.back();
    open_.pop_back();
    next_[static_cast<std::size_t>(left_.function)] = left_.restored;
  }
  // The level of the next call of a function.
  void start_at(ssa::FunctionId function, std::int32_t level) {
    next_[static_cast<std::size_t>(function)] = level;
  }
  [[nodiscard]] std::int32_t next(ssa::FunctionId function) const {
    return next_[static_cast<std::size_t>(function)];
  }
  // Of the innermost call.
  [[nodiscard]] std::int32_t level() const { return open_.empty() ? 0 : open_.back().level; }
  [[nodiscard]] std::size_t depth() const { return open_.size(); }

 private:
  struct Open {
    ssa::FunctionId function;
    std::int32_t level;
    std::int32_t restored;  // next_ of the function after the call
  };
  std::vector<std::int32_t> next_;  // by function: level of the next call
  std::vector<Open> open_;
  Open left_{-1, 0, 0};
};

}  // namespace nvm::vm
