// Core code to code for the machine: flattening and emission in one call. SSA is what runs; VCODE, on a
// stack, is what `nvm compile` writes.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bytecode/program/origin.h"
#include "bytecode/program/program.h"
#include "bytecode/ssa/ssa.h"

namespace nvm::frontend {

namespace core {
struct Program;
}

// One slot of the value of a user's top-level variable.
struct VariableSlot {
  std::uint32_t variable = 0;  // Binding::variable
  int slot = 0;                // counted as slot_count() does
};

struct EmitOptions {
  std::string file;                              // the program's own
  bool arg_check = true;                         // off: only the checks that the instructions make themselves
  const std::atomic<bool>* cancelled = nullptr;  // may be set at any time: then Cancelled is thrown
  std::uint32_t own = 0;                         // Source::number of `file`
  // Files by that number, from 1. Lines of texts beyond look as if they were of `file`.
  std::span<const std::string> sources = {};
  IntBits int_bits = IntBits::k64;  // of SSA; VCODE runs with either

  // A line with its source (bytecode/program/origin.h) as the program has it.
  [[nodiscard]] std::uint32_t line(std::uint32_t number) const {
    const std::uint32_t source = origin_source_of(number);
    return source == own || source > sources.size() ? origin_line_of(number) : number;
  }
};

// Code whose start function leaves the slots of the value.
template <typename Code>
struct Emitted {
  Code code;
  // By Constant::input: which variable's slot the run must hand over.
  std::vector<VariableSlot> inputs;
};

// Neither can fail for core code that a language's front end made.
[[nodiscard]] Emitted<ssa::Module> emit_ssa(const core::Program& program, const EmitOptions& options);
[[nodiscard]] Emitted<nvm::Program> emit_vcode(const core::Program& program, const EmitOptions& options);
// The flat code between the two as text, for listings.
[[nodiscard]] std::string print_flat(const core::Program& program, const EmitOptions& options);

}  // namespace nvm::frontend
