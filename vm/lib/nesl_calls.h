// Functions of a session as a host calls them: compiled once for each combination of argument types.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "frontend/nesl/types.h"
#include "vm/data/value.h"

namespace nvm::vm {

struct CompiledCall {
  // Where the program's input comes from: a slot of an argument, or a value of the session.
  struct Input {
    int argument = -1;  // -1: `value`
    int slot = 0;
    Value value;
  };
  ssa::Module program;
  std::vector<Input> inputs;  // by Constant::input
  std::vector<frontend::OwnedType> arguments;
  frontend::OwnedType result;
};

// The call of a function, named or any expression for one, as compile_call() takes it.
[[nodiscard]] std::string call_text(const std::string& function, std::size_t arguments);

}  // namespace nvm::vm
