// Core code to code for the machine: flattening and emission in one call. SSA is what runs; VCODE, on a
// stack, is what `nvm compile` writes.
#pragma once

#include <algorithm>
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

  // The first lines of `sources`, if those stand behind each other in one text, which places are then of.
  std::span<const std::uint32_t> first_lines = {};

  // A place of core code, with its source, as the program has it.
  [[nodiscard]] Origin line(Origin o) const {
    std::uint32_t source = origin_source_of(o), line = origin_line_of(o);
    if (!first_lines.empty()) {
      const auto behind = std::upper_bound(first_lines.begin(), first_lines.end(), line);
      if (behind == first_lines.begin()) return 0;
      source = static_cast<std::uint32_t>(behind - first_lines.begin());
      line -= behind[-1] - 1;
    }
    return origin_number(source == own || source > sources.size() ? 0 : source, line, origin_column_of(o));
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
