// The seam between block mode and compiled code for lifted functions: whoever has some is asked before a call
// is cut, before a worker interprets a group, and at the calls within it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "vm/prims/destination.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// For calls that are made one after the other.
class FunctionHook {
 public:
  virtual ~FunctionHook() = default;
  // Instances that a call of the function has at least if this is to be asked; kNever: it need not be.
  [[nodiscard]] virtual std::int64_t least(ssa::FunctionId /*function*/) { return 1; }
  static constexpr std::int64_t kNever = INT64_MAX;
  // Whether a call may be for this whose longest descriptor has so many elements. Asked first: to run() go
  // arguments that are made.
  [[nodiscard]] virtual bool may_take(std::int64_t /*elements*/) const { return true; }
  // The results of `function`, which runs when `depth` calls are open; nothing, and the arguments are as they
  // were, if an interpreter is to do it: there is no code, or something failed that it tells exactly.
  virtual std::optional<std::vector<Value>> run(ssa::FunctionId function, std::int64_t depth,
                                                std::span<const Value> arguments) = 0;
  // The same, the results written where they are wanted. False, and anything may have been written, if an
  // interpreter is to do it.
  virtual bool run_into(ssa::FunctionId /*function*/, std::int64_t /*depth*/,
                        std::span<const Value> /*arguments*/, const Destination& /*destination*/) {
    return false;
  }
};

// Whose calls: those of a whole run, by all threads, or those of a worker, whose cache holds their arguments.
enum class Caller : std::uint8_t { kRun, kWorker };

// What the hooks of several workers share; they may ask at once.
class FunctionTier {
 public:
  virtual ~FunctionTier() = default;
  // For a caller with these primitives and at most `max_depth` open calls; 0: as many as memory holds. Null:
  // there is none for such.
  [[nodiscard]] virtual std::unique_ptr<FunctionHook> hook(Caller caller, const PrimContext& context,
                                                           std::int64_t max_depth,
                                                           std::size_t max_frame_bytes) = 0;
};

// The hooks of all `tiers`, asked one after the other.
class FunctionHooks {
 public:
  FunctionHooks(std::span<FunctionTier* const> tiers, Caller caller, const PrimContext& context,
                std::int64_t max_depth, std::size_t max_frame_bytes) {
    for (FunctionTier* tier : tiers)
      if (auto hook = tier->hook(caller, context, max_depth, max_frame_bytes))
        hooks_.push_back(std::move(hook));
  }
  [[nodiscard]] std::int64_t least(ssa::FunctionId function) const {
    std::int64_t least = FunctionHook::kNever;
    for (const auto& hook : hooks_) least = std::min(least, hook->least(function));
    return least;
  }
  [[nodiscard]] bool may_take(ssa::FunctionId function, std::int64_t elements) const {
    return std::any_of(hooks_.begin(), hooks_.end(), [&](const auto& hook) {
      return hook->least(function) != FunctionHook::kNever && hook->may_take(elements);
    });
  }
  [[nodiscard]] std::optional<std::vector<Value>> run(ssa::FunctionId function, std::int64_t depth,
                                                      std::span<const Value> arguments) const {
    for (const auto& hook : hooks_)
      if (hook->least(function) != FunctionHook::kNever)
        if (auto results = hook->run(function, depth, arguments)) return results;
    return std::nullopt;
  }
  [[nodiscard]] bool run_into(ssa::FunctionId function, std::int64_t depth, std::span<const Value> arguments,
                              const Destination& destination) const {
    return std::any_of(hooks_.begin(), hooks_.end(), [&](const auto& hook) {
      return hook->least(function) != FunctionHook::kNever &&
             hook->run_into(function, depth, arguments, destination);
    });
  }

 private:
  std::vector<std::unique_ptr<FunctionHook>> hooks_;
};

}  // namespace nvm::vm
