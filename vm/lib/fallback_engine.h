// An engine on a device with one on the processor behind it: what the device cannot compile, has not compiled
// yet or has no memory for, and everything once it has failed, is compiled for the processor.
#pragma once

#include <memory>

#include "bytecode/plan/engine.h"

namespace nvm::lib {

// `processor` may be null: then such lines are left to the caller.
[[nodiscard]] std::unique_ptr<plan::Engine> with_fallback(std::unique_ptr<plan::Engine> device,
                                                          std::unique_ptr<plan::Engine> processor);

}  // namespace nvm::lib
