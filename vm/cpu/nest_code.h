// Loop nests as machine code.
#pragma once

#include <memory>
#include <string>

#include "bytecode/plan/nest.h"
#include "vm/cpu/machine.h"

namespace nvm::vm::cpu {

// Null with a reason if that cannot be done.
[[nodiscard]] std::unique_ptr<plan::NestCode> compile_nest(const plan::Nest& nest,
                                                           const plan::NestStorage& storage,
                                                           const std::string& name,
                                                           std::shared_ptr<Machine> machine,
                                                           std::string& reason);

}  // namespace nvm::vm::cpu
