// What a program is given to run on.
#pragma once

#include <span>
#include <string>

#include "vm/lib/impl.h"

namespace nvm::lib {

// What code relies on about inputs, violated; empty if nothing is.
[[nodiscard]] std::string wrong_inputs(const Program::Impl& program, IntBits bits,
                                       std::span<const vm::Value> inputs);
// An input of a program with an INT of 32 bits, which stores none in 8 bytes: see wrong_inputs().
[[nodiscard]] vm::Value in_four_bytes(vm::Pool& pool, const vm::Value& value);

}  // namespace nvm::lib
