// Tail-parallel recursion as a loop over levels (bytecode/ssa/levels.h). When such a function comes to its
// recursive call, the call waits: what is left of the function is executed at once, as if the results were as
// long as the arguments. That tells where everything belongs: what this level has of the result is written
// there, and the call, which is told where its results are wanted, takes the place of the level. If each
// level proves to be as long as it should be, given the next, all are, down to one that makes no call.
// Otherwise, or if anything faults, the outermost call is made in the usual way.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "vm/interp/code.h"
#include "vm/prims/destination.h"
#include "vm/prims/operands.h"

namespace nvm::vm {

// Which functions go level by level; shared by interpreters that may ask at once.
class LevelLoops {
 public:
  explicit LevelLoops(const Code& code) : given_up_(code.functions.size()) {}
  [[nodiscard]] bool may(ssa::FunctionId f) const {
    return !given_up_[static_cast<std::size_t>(f)].load(std::memory_order_relaxed);
  }
  // Its results are not as long as its arguments, or it faults.
  void give_up(ssa::FunctionId f) { given_up_[static_cast<std::size_t>(f)].store(true); }
  void count(std::int64_t levels) { levels_.fetch_add(levels, std::memory_order_relaxed); }
  // Levels executed so.
  [[nodiscard]] std::int64_t levels() const { return levels_.load(); }

 private:
  std::vector<std::atomic<bool>> given_up_;
  std::atomic<std::int64_t> levels_{0};
};

// The vectors that the outermost call's results are written to.
class OwnDestination {
 public:
  // For a call with these arguments. The vectors are as long as those under the sizes, Ints stored as the
  // widest of the arguments are.
  OwnDestination(const PrimContext& context, const CodeFunction& function, std::span<const Value> arguments);
  [[nodiscard]] Destination destination() const { return {targets_, places_}; }
  // What the call returns.
  [[nodiscard]] std::vector<Value> take();

 private:
  std::vector<std::unique_ptr<Fresh>> vectors_;
  std::vector<Destination::Target> targets_;
  Places places_;
  BufferRef memory_;  // of their list, if they have one
  Segdes sizes_;
  std::size_t lengths_;
};

// Puts the results of a call of `function` with these arguments to their places; false if they are not as
// long as these.
[[nodiscard]] bool fill_results(const PrimContext& context, const CodeFunction& function,
                                std::span<const Value> arguments, std::span<const Value> results,
                                const Destination& destination);

}  // namespace nvm::vm
