// The seam between execution and whoever watches it: profiles, traces, counters. Costs one predictable test
// per instruction when nobody does.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bytecode/ssa/ssa.h"
#include "vm/data/value.h"
#include "vm/interp/region_hook.h"

namespace nvm::vm {

// An instruction that was recorded instead of executed, and what the cost model counts for it.
struct RecordedWork {
  const ssa::Inst* inst = nullptr;
  Site site;
  std::int64_t work = 0;
};

// How a recorded region was computed.
struct RegionRun {
  std::size_t kernels = 0;  // compiled ones that ran, 0: instruction by instruction
  bool trapped = false;     // compiled code failed a check first
  std::int64_t bytes = 0;   // of its inputs and outputs
};

class Observer {
 public:
  virtual ~Observer() = default;
  // Around the execution of an instruction that is not a call; operands before they are consumed, none of
  // them Deferred. An instruction that faults has no end. One that a RegionHook takes has neither: it is
  // reported with its region.
  virtual void begin(const ssa::Inst& inst, const Site& site, std::span<const Value> operands) = 0;
  virtual void end(const ssa::Inst& inst, const Site& site, std::span<const Value> results) = 0;
  // Around the execution of a function. A tail call leaves the caller first. After a fault nothing is left.
  virtual void enter(ssa::FunctionId function) = 0;
  virtual void leave(ssa::FunctionId function) = 0;
  // Around the execution of a recorded region that ended because of `stop` (vm/trace/stop.def). `recorded`
  // are all instructions that the program executed, also those whose results nobody wanted. No end after a
  // fault.
  virtual void begin_region(const RecordedWork& /*first*/, std::string_view /*stop*/) {}
  virtual void end_region(std::span<const RecordedWork> /*recorded*/, const RegionRun& /*run*/) {}
  // Around a compilation, inside a region. `reason` says why there are no kernels.
  virtual void begin_compile() {}
  virtual void end_compile(std::size_t /*kernels*/, std::string_view /*reason*/) {}
};

}  // namespace nvm::vm
