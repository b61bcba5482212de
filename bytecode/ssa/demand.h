// What those who read a value need of it: its elements in memory, or is it enough if it stays in one of the
// forms of the instruction table's column `views`? A backward analysis of each function: starts from
// all forms and takes away those in which somebody cannot read the value, until nothing changes.
//
// What an instruction makes has, besides, only forms in which it can leave its result where its operands are
// such. What goes from block to block, into a function or out of it is in memory.
#pragma once

#include <string>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "bytecode/table/views.h"

namespace nvm::ssa {

struct Demand {
  std::vector<Forms> forms;  // by ValueId
  [[nodiscard]] bool may(ValueId v, Form form) const { return of(v).has(form); }
  [[nodiscard]] bool may(ValueId v, Forms any) const { return of(v).any(any); }
  [[nodiscard]] Forms of(ValueId v) const { return forms[static_cast<std::size_t>(v)]; }
};

// Forms that any value may turn out to have when it is executed; others only what is left so by who makes it.
inline constexpr Forms kFound{Form::kUniform, Form::kGather};

// By FunctionId. Requires: check(). Cost: code size times the (few) rounds until nothing changes.
[[nodiscard]] std::vector<Demand> analyse_demand(const Module& module);

// For the golden tests: by function, the forms of each value that has some beyond those of kFound.
[[nodiscard]] std::string print_demand(const Module& module);

}  // namespace nvm::ssa
