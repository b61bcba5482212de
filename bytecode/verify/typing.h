// Evaluates functions over kinds instead of values, one instance per function and typing of its operands,
// from the entry on. Recursive calls start as "does not return"; an instance is evaluated again when that
// changes. Keeps its own stack of half-evaluated instances, so deep call chains need no native stack.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bytecode/base/diagnostic.h"
#include "bytecode/program/program.h"
#include "bytecode/verify/effects.h"
#include "bytecode/verify/kinds.h"

namespace nvm {

class Typing {
 public:
  Typing(const Program& program, const std::vector<StackEffect>& effects, Diagnostics& diagnostics)
      : program_(program), effects_(effects), diagnostics_(diagnostics) {}

  void run();

  // True if some instruction cannot be typed without running the program; a warning says which.
  [[nodiscard]] bool dynamic() const { return dynamic_; }
  // The instances found; only after a run without errors that is not dynamic. False if they are too large to
  // be written out.
  [[nodiscard]] bool take(Verified& out) const;

 private:
  struct Typed {
    std::int32_t function = 0;
    std::vector<Kind> operands;
    std::vector<Kind> results;
    bool returns = false;
    bool queued = false;
    std::vector<std::int32_t> callees;
    std::vector<std::int32_t> waiting;  // instances that took this one not to return
    std::int32_t caller = -1;           // who called it first, and where
    std::int32_t call_pc = 0;
  };
  struct State {
    std::vector<Kind> stack;
    bool live = true;
  };
  struct Branch {
    State before;
    State then;
    bool has_else = false;
  };
  struct Frame {
    std::int32_t instance = 0;
    std::size_t pc = 0;
    State now;
    std::vector<Branch> branches;
  };
  struct KeyHash {
    std::size_t operator()(const std::vector<Kind>& key) const;
  };

  [[nodiscard]] std::int32_t find_or_make(std::int32_t function, std::vector<Kind> operands);
  [[nodiscard]] Typed& typed(std::int32_t id) { return instances_[static_cast<std::size_t>(id)]; }
  void enqueue(std::int32_t id);
  void start(std::int32_t id);
  void resume();
  bool step(Frame& frame, const Instr& in);
  void end_branch(Frame& frame);
  void returned(Frame& frame);
  bool call(Frame& frame, const Instr& in);
  void block(Frame& frame, const Instr& in);
  void operation(Frame& frame, const Instr& in);
  void push_results(Frame& frame, const Instr& in, const std::vector<Kind>& operands);
  void spend(std::size_t moved);

  [[nodiscard]] bool first_report(std::int32_t function, std::size_t pc);
  void fault(Frame& frame, const std::string& message);
  void underflow(Frame& frame, const Instr& in, std::int64_t needs);
  void mismatch(Frame& frame, const Instr& in, const Kind* operands);
  void varies(std::int32_t function, std::size_t pc, const std::string& message);
  void varies_in_call(std::int32_t function);

  const Program& program_;
  const std::vector<StackEffect>& effects_;
  Diagnostics& diagnostics_;
  Kinds kinds_;
  std::vector<Typed> instances_;
  std::unordered_map<std::vector<Kind>, std::int32_t, KeyHash> ids_;
  std::vector<Frame> frames_;
  std::vector<std::int32_t> queue_;
  std::unordered_set<std::uint64_t> reported_;
  std::size_t work_ = 0;
  bool dynamic_ = false;
  bool gave_up_ = false;
};

}  // namespace nvm
