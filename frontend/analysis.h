// What flattening must know about core code before it moves or copies any of it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "frontend/call_graph.h"
#include "frontend/core.h"

namespace nvm::frontend {

struct ExprFacts {
  std::vector<std::int32_t> free;  // variables of the function that occur free, sorted
  bool effect = false;             // reads or changes state: evaluated exactly where and as often as written
  bool fails = false;              // may be a run-time error or run forever
  bool relies = false;  // on sequences that are equally long, where a sound program says nothing else
  bool recurs = false;  // calls recursive functions
  bool scalar = false;  // made of scalar operations only
  int weight = 0;       // nodes, with those of functions that will be inlined
};

struct FunctionFacts {
  bool effect = false;
  bool fails = false;
  bool recursive = false;
  bool recurs = false;  // is recursive or calls recursive functions
  bool inlined = false;
  int weight = 0;
  // By leaf of the argument (its components that are no pairs, in order).
  std::vector<bool> shareable;  // instances may share it at all
  std::vector<std::uint64_t>
      needs;  // the leaves that decide its value in recursive calls; none if not recursive
};

class Analysis {
 public:
  // `arg_check`: whether anything is checked in the code that is made.
  Analysis(const core::Program& program, bool arg_check);
  [[nodiscard]] const ExprFacts& of(const core::Expr& e) const { return exprs_.at(&e); }
  [[nodiscard]] const FunctionFacts& of(std::int32_t function) const {
    return functions_[static_cast<std::size_t>(function)];
  }
  // Which of the leaves that all instances of a call share they also share in the recursive calls it makes.
  [[nodiscard]] std::vector<bool> shared(std::int32_t function, std::vector<bool> candidates) const;

 private:
  void find_recursion();
  void summarise();
  const ExprFacts& visit(const core::Expr& e);
  void find_shareable(std::int32_t function);

  const core::Program& program_;
  bool arg_check_;
  CallGraph calls_;
  std::unordered_map<const core::Expr*, ExprFacts> exprs_;
  std::vector<FunctionFacts> functions_;
};

}  // namespace nvm::frontend
