// A run-time fault with its place: what a user is told when a program fails while it runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bytecode/base/diagnostic.h"
#include "bytecode/program/origin.h"
#include "vm/data/value.h"
#include "vm/interp/region_hook.h"

namespace nvm::vm {

struct CallPlace {
  std::string function;  // VCODE name, or the NESL one if the function came from NESL
  SourcePos pos;         // of the call, in the VCODE text
  Origin origin_line = 0;
};

struct RunError {
  Fault::Kind kind = Fault::Kind::kLength;
  std::string message;
  std::string instruction;       // "+_SCAN INT"; "" if no instruction was at fault
  CallPlace at;                  // the instruction's function and position
  std::vector<CallPlace> calls;  // callers, innermost first, kMostCalls at most
  // Number of callers; of those further out than kMostCalls without the ones that inlining has taken away.
  std::int64_t depth = 0;

  static constexpr std::size_t kMostCalls = CallTrail::kMost;
};

// The lines under the message: where, and who called.
[[nodiscard]] std::string describe_place(const RunError& error, const OriginFiles& origins);

}  // namespace nvm::vm
