// The seam between the interpreter and a profiler: sees every instruction and call. Costs one predictable
// test per instruction when there is none.
#pragma once

#include <span>

#include "bytecode/ssa/ssa.h"
#include "vm/data/value.h"
#include "vm/interp/region_hook.h"

namespace nvm::vm {

class Observer {
 public:
  virtual ~Observer() = default;
  // Around the execution of an instruction that is not a call; operands before they are consumed. An
  // instruction that faults has no end, one that a RegionHook takes ends with Deferred results.
  virtual void begin(const ssa::Inst& inst, const Site& site, std::span<const Value> operands) = 0;
  virtual void end(const ssa::Inst& inst, const Site& site, std::span<const Value> results) = 0;
  // Around the execution of a function. A tail call leaves the caller first.
  virtual void enter(ssa::FunctionId function) = 0;
  virtual void leave(ssa::FunctionId function) = 0;
};

}  // namespace nvm::vm
