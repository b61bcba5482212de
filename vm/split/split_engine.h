// An engine that has another one's code run in parts by several devices.
#pragma once

#include <memory>

#include "bytecode/plan/engine.h"
#include "vm/split/devices.h"

namespace nvm::vm {

// All must outlive it. Plans whose code does not split are run whole.
[[nodiscard]] std::unique_ptr<plan::Engine> make_split_engine(plan::Engine& engine, Devices& devices);

}  // namespace nvm::vm
