// --stats, --cost and --assert: what a run cost, and claims about it.
#pragma once

#include <map>

#include "vm/cmd/arguments.h"
#include "vm/lib/nvm.hpp"

namespace nvm::cmd {

// Inputs by name and their lengths: bounds call them #NAME.
using Lengths = std::map<std::string, std::int64_t>;

// Before the run: throws UsageError for a bound that makes no sense.
void check_figures(const Arguments& arguments, const Lengths& lengths = {});

// After it: prints what was asked for on standard error. The exit status: kFault if a bound does not hold.
[[nodiscard]] int report_figures(const Arguments& arguments, const lib::Counters& counters,
                                 const Lengths& lengths = {});

}  // namespace nvm::cmd
