// Judges a program before anything of it runs, and resolves what lowering needs: stack effects and types by a
// fixpoint over (recursive) functions, operand kinds against the instruction table, equal stacks after both
// branches of a conditional, pairs. A branch that ends in EXIT need not balance. A function that only
// shuffles may be used at several types: it is checked per instantiation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bytecode/base/diagnostic.h"
#include "bytecode/program/program.h"

namespace nvm {

// A static stack entry type: a tree for pairs.
struct EntryType {
  Type type = Type::kInt;
  std::vector<EntryType> parts;  // kPair: exactly two
  friend bool operator==(const EntryType&, const EntryType&) = default;
};

// One function at one typing of its operands.
struct Instance {
  std::int32_t function = 0;          // into Program::functions
  std::vector<EntryType> operands;    // every entry under its start that it touches, deepest first
  std::vector<EntryType> results;     // what stands in their place at RET
  bool returns = true;                // false if every path ends in EXIT or never ends
  std::vector<std::int32_t> callees;  // by instruction: instance called, -1 if not a CALL or unreachable
};

struct Verified {
  std::vector<Instance> instances;  // reachable from the entry
  std::int32_t entry = 0;           // an instance without operands
};

enum class Verdict : std::uint8_t {
  kOk,
  kError,         // diagnostics say why; must not run
  kDynamicStack,  // no error found, but some function leaves a number of entries that depends on data, so
                  // there is no static typing: only the checking stack machine (vm/interp/stack_machine.h)
                  // can run it
};

struct VerifyResult {
  Verdict verdict = Verdict::kError;
  Verified verified;  // kOk only
};

// Reports every error it can find in one go, with position and what was expected. Functions that the entry
// does not reach are checked for what does not depend on their operands (calls, nesting), not for types.
[[nodiscard]] VerifyResult verify(const Program& program, Diagnostics& diagnostics,
                                  IntBits bits = IntBits::k64);

}  // namespace nvm
