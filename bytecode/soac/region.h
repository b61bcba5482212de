// A recorded straight line of vector instructions: what the tracer saw, and the facts it relies on. The facts
// are in the form itself: inputs of equal length share a length symbol, scalars have the symbol of one,
// descriptors say what is known of them. So the printed region is the guard: a run with the same text may use
// the same code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bytecode/soac/var.h"

namespace nvm::soac {

// Op::kIf stands for a check conditional that was passed: its one operand is T if something is wrong, and the
// program then ends in a way that only the interpreter knows.
struct RegionInst {
  Op op = Op::kAdd;
  TypeWord word = TypeWord::kNone;
  std::vector<VarId> operands;  // deepest first, as in the instruction table
  std::vector<VarId> results;
  std::int32_t site = 0;  // the recorder's number of the place it came from; not part of the key
};

struct Region {
  IntBits int_bits = IntBits::k64;
  bool small = true;                // all lengths are below 2^31
  std::vector<LengthKind> lengths;  // by LengthId
  std::vector<Var> vars;            // by VarId; role kOutput: live after the region
  std::vector<RegionInst> insts;
};

// Canonical text: everything that the generated code depends on, nothing else.
[[nodiscard]] std::string print(const Region& region);
// The same facts as bytes: what regions are found again by. Equal keys, equal text.
[[nodiscard]] std::string key(const Region& region);

}  // namespace nvm::soac
