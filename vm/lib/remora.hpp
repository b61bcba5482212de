// libnvm, Remora part: type checks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace nvm::lib
