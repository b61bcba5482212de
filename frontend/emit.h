// Core code to a program for the machine: flattening and emission in one call.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

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
  std::string file;                              // NESL file, for Program::origin_file
  bool arg_check = true;                         // off: only the checks that the instructions make themselves
  const std::atomic<bool>* cancelled = nullptr;  // may be set at any time: then Cancelled is thrown
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
