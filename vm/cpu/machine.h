// What the plans of one engine share.
#pragma once

#include "vm/cpu/code_memory.h"
#include "vm/cpu/threads.h"

namespace nvm::vm::cpu {

struct Machine {
  Machine(Isa isa, std::size_t code_limit, bool listings, Perf perf, std::FILE* complaints)
      : memory(isa, code_limit, listings, perf, complaints) {}
  CodeMemory memory;
  Threads threads;
};

}  // namespace nvm::vm::cpu
