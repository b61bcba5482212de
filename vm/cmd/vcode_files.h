// --in and --out of VCODE programs, whose values have places instead of names.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "vm/cmd/arguments.h"
#include "vm/cmd/outputs.h"
#include "vm/lib/nvm.hpp"

namespace nvm::cmd {

// What --in asks for, deepest first: FILE is its values, segdes=FILE a descriptor of the lengths in it. Any
// other name is a UsageError, and so is a file that cannot be read.
[[nodiscard]] std::vector<lib::Value> read_inputs(const Arguments& arguments,
                                                  std::span<const std::shared_ptr<lib::Watcher>> watchers);
[[nodiscard]] std::vector<lib::Kind> kinds_of(std::span<const lib::Value> values);
// FILE is for the value on top of the final stack, N=FILE for the N-th from below. Throws UsageError for a
// place or kind of value that is not among those of the final stack.
void check_outputs(const Outputs& outputs, std::span<const lib::Kind> kinds);
// Writes them. kFault, with a message, if that cannot be done.
[[nodiscard]] int write_outputs(Outputs& outputs, std::span<const lib::Value> values);

}  // namespace nvm::cmd
