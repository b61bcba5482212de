// libnvm, Remora part: type checks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vm/lib/nesl.hpp"

namespace nvm::lib {

// An error, and its kind as the language names it ("element-type"). Columns count code points, from 1.
struct RemoraError {
  std::string kind;
  std::uint32_t line = 0, column = 0;
  std::string text;
};

struct RemoraCheck {
  std::string types;  // "name : type" of each definition, "it : type" of each expression, a line each
  std::vector<RemoraError> errors;
  std::string messages;  // the errors in words for the user, with the lines of the program

  [[nodiscard]] bool ok() const { return errors.empty(); }
};

// Checks a program without running anything; `name` stands in messages. Types are complete only if there is
// no error. Throws Cancelled where the thread's budget is spent.
[[nodiscard]] RemoraCheck check_remora(std::string_view text, const std::string& name);

struct RemoraRun {
  std::string results;   // a line "VALUE : TYPE" of each expression
  std::string messages;  // what is wrong, for the user; "" if nothing
  bool refused = false;  // the program is wrong, or does what cannot be run yet: nothing ran
};

// Runs a program. Throws Cancelled where the thread's budget is spent.
[[nodiscard]] RemoraRun run_remora(std::string_view text, const std::string& name,
                                   const NeslOptions& options);

}  // namespace nvm::lib
