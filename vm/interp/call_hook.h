// The seam between the interpreter and block mode: whoever can execute a call in another way is asked before
// the interpreter opens it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "vm/data/value.h"
#include "vm/prims/destination.h"

namespace nvm::vm {

class CallHook {
 public:
  virtual ~CallHook() = default;

  // Offers a call of a function that is proved to be lifted. `depth` calls are open when the callee runs.
  // True: done; `results` are those of the function. False: the interpreter makes the call as usual; the
  // arguments keep their values (some may have been Deferred and are no more). Throws what computing
  // promised arguments throws.
  virtual bool call(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
                    std::vector<Value>& results) = 0;

  // The same of a function that goes level by level (bytecode/ssa/levels.h), with results as long as its
  // arguments, if they can be written where they belong. Throws Fault if they turn out to be of other
  // lengths.
  virtual bool call_into(ssa::FunctionId, std::int64_t, std::span<Value>, const Destination&) {
    return false;
  }
};

}  // namespace nvm::vm
