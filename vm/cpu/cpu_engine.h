// The CPU engine: plans become AVX-512 or AVX2 machine code over blocks, run by oneTBB threads. Results do
// not depend on the number of threads, and are those of the eager primitives to the last bit, except FLOAT
// reductions over a filter, which combine per chunk (codegen/reduce.cpp).
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>

#include "bytecode/plan/engine.h"
#include "vm/cpu/isa.h"
#include "vm/cpu/perf.h"

namespace nvm::vm::cpu {

struct EngineOptions {
  std::optional<Isa> isa;                          // none: the best there is
  std::size_t code_limit = std::size_t{64} << 20;  // bytes of machine code alive at once
  bool listings = false;                           // keep the assembly, for Code::listing()
  Perf perf = Perf::kOff;                          // how the code gets names for Linux perf
  std::FILE* complaints = nullptr;                 // told once if those cannot be written
};

[[nodiscard]] std::unique_ptr<plan::Engine> make_engine(const EngineOptions& options = {});

}  // namespace nvm::vm::cpu
