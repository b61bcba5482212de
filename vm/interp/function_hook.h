// The seam between a worker of block mode and compiled code for a lifted function with all that it calls.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// One worker's.
class FunctionHook {
 public:
  virtual ~FunctionHook() = default;
  // Instances that a call of the function has at least if this is to be asked; kNever: it need not be.
  [[nodiscard]] virtual std::int64_t least(ssa::FunctionId /*function*/) { return 1; }
  static constexpr std::int64_t kNever = INT64_MAX;
  // The results of `function`, which runs when `depth` calls are open; nothing, and the arguments are as they
  // were, if an interpreter is to do it: there is no code, or something failed that it tells exactly.
  virtual std::optional<std::vector<Value>> run(ssa::FunctionId function, std::int64_t depth,
                                                std::span<const Value> arguments) = 0;
};

// What the hooks of several workers share; they may ask at once.
class FunctionTier {
 public:
  virtual ~FunctionTier() = default;
  // For a worker with these primitives and at most `max_depth` open calls; 0: as many as memory holds.
  [[nodiscard]] virtual std::unique_ptr<FunctionHook> hook(const PrimContext& context, std::int64_t max_depth,
                                                           std::size_t max_frame_bytes) = 0;
};

}  // namespace nvm::vm
