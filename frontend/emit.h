// Core code to a program for the machine: flattening and emission in one call.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bytecode/program/origin.h"
#include "bytecode/program/program.h"

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

  // A line with its source (bytecode/program/origin.h) as the program has it.
  [[nodiscard]] std::uint32_t line(std::uint32_t number) const {
    const std::uint32_t source = origin_source_of(number);
    return source == own || source > sources.size() ? origin_line_of(number) : number;
  }
};

struct Emitted {
  nvm::Program program;  // its MAIN leaves the slots of the value
  // By Constant::input: which variable's slot the run must hand over.
  std::vector<VariableSlot> inputs;
};

// Cannot fail for core code that compile_form made.
[[nodiscard]] Emitted emit(const core::Program& program, const EmitOptions& options);
// The flat code between the two, before it is put on a stack, as text for listings.
[[nodiscard]] std::string print_flat(const core::Program& program, const EmitOptions& options);

}  // namespace nvm::frontend
