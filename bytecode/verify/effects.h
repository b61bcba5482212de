// How many stack entries each function reads below its start and leaves, kinds aside: the fixpoint that tells
// the typing (verify.cpp) how much of the stack a call takes.
#pragma once

#include <cstdint>
#include <vector>

#include "bytecode/program/program.h"

namespace nvm {

struct StackEffect {
  enum class State : std::uint8_t {
    kNever,   // no path returns
    kFixed,   // every path that returns changes the height by `delta`
    kVaries,  // depends on data
  };
  State state = State::kNever;
  std::int64_t reach = 0;     // entries below the start that some path touches
  std::int64_t delta = 0;     // kFixed
  std::int32_t deepest = -1;  // instruction that touches the deepest of them
  std::int32_t cause = -1;    // kVaries: the ENDIF whose branches disagree, or the CALL that varies
};

// Effects of all functions that the entry can reach by calls; the others keep the default. Functions in a
// cycle start from kNever and are walked again when a callee changes; one that does not settle (it digs
// deeper with every call) varies. Time: program size times a small constant.
[[nodiscard]] std::vector<StackEffect> stack_effects(const Program& program);

// Entries an instruction takes and leaves; not for CALL. COPY POP CPOP: the block and what lies on it.
struct Arity {
  std::int64_t takes = 0;
  std::int64_t leaves = 0;
};
[[nodiscard]] Arity arity(const Instr& in);

}  // namespace nvm
