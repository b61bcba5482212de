// What a run needs besides its program; shared by the interpreter and the stack machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <optional>
#include <vector>

#include "bytecode/base/budget.h"
#include "vm/interp/call_hook.h"
#include "vm/interp/checkpoints.h"
#include "vm/interp/error.h"
#include "vm/interp/host_ops.h"
#include "vm/interp/line_meter.h"
#include "vm/interp/observer.h"
#include "vm/interp/region_hook.h"
#include "vm/interp/work.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

class FunctionTier;
class Path;
class LevelLoops;

struct Machine {
  PrimContext prims;
  Host* host = nullptr;
  RegionHook* hook = nullptr;
  CallHook* calls = nullptr;
  std::vector<FunctionTier*> functions;  // code for whole functions, asked by block mode in this order
  LevelLoops* levels = nullptr;          // null: recursive calls are made where they stand
  Observer* observer = nullptr;
  Tally* tally = nullptr;      // null: nothing is counted
  LineMeter* meter = nullptr;  // null: nothing is measured
  std::int64_t* moved =
      nullptr;           // bytes are added to it (moved.h), whatever is left delayed; null: they are not
  Path* path = nullptr;  // null: nothing is noted; else `tally` counts, and there is no `hook`
  std::int64_t max_depth = 0;  // calls that may be open at a time, 0: as many as memory holds
  std::size_t max_frame_bytes = std::size_t{4} << 30;  // memory of open calls
  Checkpoints* checkpoints = nullptr;  // null: none are taken; else there is a `hook` that has parts
};

// How a run ended: normally with values, by EXIT, or by a fault.
struct Outcome {
  bool exited = false;
  Origin exit_line = 0;  // in the source, where EXIT was met: innermost known
  std::optional<RunError> error;
  std::vector<Value> values;
};

// Where the heap is limited, that says what was wanted, and the cure.
[[nodiscard]] inline Fault memory_fault(const std::bad_alloc& spent) {
  const auto* const limited = dynamic_cast<const OutOfMemory*>(&spent);
  return {Fault::Kind::kMemory, limited != nullptr ? limited->what() : "out of memory"};
}

[[nodiscard]] inline Fault depth_fault(std::int64_t depth) {
  return {Fault::Kind::kRecursion, "recursion limit: more than " + std::to_string(depth) + " calls are open"};
}

}  // namespace nvm::vm
