// A graph as a program in VCODE.
#pragma once

#include <string>
#include <vector>

#include "vm/python/core/node.h"

namespace nvm::python {

// What computes some outputs from the values that their graph stands on. Graphs of the same shape have the
// same text, whatever the lengths and values.
struct ProgramText {
  std::string text;
  std::vector<lib::Value> inputs;
  std::vector<lib::Kind> input_kinds;
  std::vector<NodeRef> instructions;  // by line of the text, from its second line on
};
[[nodiscard]] ProgramText program_of(const std::vector<Output>& outputs);

}  // namespace nvm::python
