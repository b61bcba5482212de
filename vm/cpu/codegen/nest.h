// Machine code of a loop nest (bytecode/plan/nest.h): one function that goes through the instances of a
// level. What an instance has of numbers stays in registers; elements are read once, whatever is filtered of
// them, and as few as fit a vector are one masked step.
#pragma once

#include <cstdint>
#include <string>

#include "bytecode/plan/nest.h"
#include "vm/cpu/codegen/lanes.h"

namespace nvm::vm::cpu {

// What the code receives; positions of lists, then addresses of targets follow.
struct NestArgs {
  const std::int64_t* first;
  const std::int64_t* last;
  std::int64_t* next;
  std::int64_t failed;
  std::byte* records;
  std::int64_t own;
  std::byte* slots[1];
};

using NestFunction = void (*)(NestArgs*);

void emit_nest(x86::Compiler& cc, Isa isa, const plan::Nest& nest, const plan::NestStorage& storage);

}  // namespace nvm::vm::cpu
