// The seam between the interpreter and block mode: whoever can execute a call in another way is asked before
// the interpreter opens it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "vm/data/value.h"

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
};

}  // namespace nvm::vm
