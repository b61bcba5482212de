// Computing what a graph promises.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vm/python/core/node.h"

namespace nvm::python {

// Why a value could not be computed, and which instruction failed.
struct Unevaluated {
  lib::Failure failure;
  NodeRef at;  // null if unknown
};

// Computes the nodes, and what they stand on and somebody still holds. Afterwards these have their values and
// no operands; if it fails all stay as they were. Gives Python's lock away while a program runs; a long one
// (`long_run`) on the main thread ends when Python has a signal to handle, whose exception is then set.
[[nodiscard]] std::optional<Unevaluated> evaluate(const std::vector<NodeRef>& nodes,
                                                  const lib::Options& options, bool long_run, lib::Run& run);
// A run of any machine, in the same way.
[[nodiscard]] lib::Result<lib::Run> run_interruptibly(lib::Vm& vm, const lib::Program& program,
                                                      const std::vector<lib::Value>& inputs, bool long_run);

}  // namespace nvm::python
