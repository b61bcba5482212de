// The SSA passes. Each states what it requires and ensures; all keep check() true and results bit-identical.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "bytecode/program/program.h"
#include "bytecode/ssa/ssa.h"
#include "bytecode/verify/verify.h"

namespace nvm::ssa {

// Requires: a program that verify() accepted. Ensures: functions reachable from the entry, each instantiation
// of a stack-polymorphic function once; shuffles resolved; check() holds. Cost: linear in the code.
[[nodiscard]] Module lower(const Program& program, const Verified& verified, IntBits bits);

// Aborts with the failing condition and the printed function if the form is broken. Driven by the table.
void check(const Module& module);

// Deterministic text: %n values by number, one instruction a line; the golden format.
[[nodiscard]] std::string print(const Module& module);
[[nodiscard]] std::string print(const Module& module, const Function& function);

// Inlines calls of small non-recursive functions. Ensures: positions and origin_function stay those of the
// callee, so that messages and profiles name the source. Destroys: liveness.
void inline_calls(Module& module);
// Common subexpressions of pure and faulting instructions within dominating blocks.
void eliminate_common(Module& module);
// Removes instructions without uses that provably cannot fail (an error is behaviour), unused block
// parameters, conditionals that do nothing, and functions that are no longer called (see Function::removed).
void eliminate_dead(Module& module);
// Folds constants (length-one and short vectors), with the arithmetic of the module's IntBits; never folds a
// fault.
void fold_constants(Module& module);
// The algebra of descriptors: LENGTHS of MAKE_SEGDES, MAKE_SEGDES of LENGTHS, +_REDUCE of lengths over one
// segment, DIST of DIST, DIST over one segment then elementwise with another, INDEX 0 1, LENGTH of known
// length.
void simplify_segdes(Module& module);
// Computes cheap elementwise instructions behind the filters and jumps that they stand before, from what is
// filtered and passed on anyway.
void pack_late(Module& module);
// Finds lifted functions (sets Function::lifted), with the reason for each refusal. Changes no code.
void find_lifted(Module& module);

struct Pass {
  const char* name;  // for --passes, tests and messages
  void (*run)(Module&);
};
// The load-time pipeline in order: the page to read.
[[nodiscard]] const std::vector<Pass>& pipeline();
// Runs the pipeline, checking before and after every pass if `checked`. `cancelled` is looked at between
// passes.
void optimise(Module& module, bool checked, const std::atomic<bool>* cancelled = nullptr);

// Length classes of one function (design: symbolic shapes). Values of one class have equal length without a
// run-time test; a descriptor has two classes, its number of segments and its total.
struct LengthClasses {
  std::vector<std::int32_t> length;  // by ValueId: class of a vector's length or a descriptor's segment count
  std::vector<std::int32_t> total;   // by ValueId: class of a descriptor's total, -1 for vectors
  std::int32_t one = -1;             // the class of length one
};
// For every function of the module. What holds of parameters at every call is used, so the classes are valid
// only while the module is run from its entry.
[[nodiscard]] std::vector<LengthClasses> length_classes(const Module& module);

// Liveness: for every instruction and terminator, which operands die there.
struct Liveness {
  // By block, by instruction (the terminator last): bit i set if operand i is used for the last time. A value
  // that is several operands has only the bit of the last one. The operands of a branch are its condition, of
  // a jump or return its arguments. Operands from 64 on have no bit: such a value lives until the return.
  std::vector<std::vector<std::uint64_t>> dies;
  // By block, by instruction: bit i set if result i is never used.
  std::vector<std::vector<std::uint64_t>> unused;
  // By block: values that die on entry: parameters never used, and what only the other branch uses.
  std::vector<std::vector<ValueId>> dead_on_entry;
};
[[nodiscard]] Liveness liveness(const Function& function);

}  // namespace nvm::ssa
