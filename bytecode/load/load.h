// Text, Program or module to verified, optimised SSA. Nothing that did not pass here may run.
#pragma once

#include <atomic>
#include <string_view>

#include "bytecode/base/diagnostic.h"
#include "bytecode/program/program.h"
#include "bytecode/ssa/ssa.h"
#include "bytecode/verify/verify.h"

namespace nvm {

struct LoadOptions {
  IntBits int_bits = IntBits::k64;
  bool optimise = true;
  // As ssa::Module has it; set anyway for a program whose first line names the legacy compiler.
  bool prefix_lengths = false;
  // Checks the form after lowering and after every pass: one walk over the code each.
#ifdef NDEBUG
  bool checked = false;
#else
  bool checked = true;
#endif
  const std::atomic<bool>* cancelled = nullptr;  // may be set at any time: then Cancelled is thrown
};

struct Loaded {
  Verdict verdict = Verdict::kError;
  Program program;     // as read; what a kDynamicStack program runs from. Empty if it was made as SSA
  ssa::Module module;  // kOk only
};

// Reads, verifies, lowers and optimises. Errors go to `diagnostics`; then the verdict is kError.
[[nodiscard]] Loaded load_vcode(std::string_view text, Diagnostics& diagnostics,
                                const LoadOptions& options = {});
// The same from a Program that ProgramBuilder finished without errors.
[[nodiscard]] Loaded load_program(Program program, Diagnostics& diagnostics, const LoadOptions& options = {});
// The same from SSA that a front end made, whose form is checked in any case. Its INTs are of the module's
// width.
[[nodiscard]] Loaded load_module(ssa::Module module, const LoadOptions& options = {});

}  // namespace nvm
