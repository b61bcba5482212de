// Examples of built-in functions, one each, as far as a line can show what they do (examples.def).
#pragma once

#include <string>
#include <string_view>

namespace nvm::frontend {

struct Example {
  std::string_view name, expression, value;
};

// Null if there is none.
[[nodiscard]] const Example* example_of(std::string_view name);
// "`EXPRESSION` is `VALUE`", in Markdown.
[[nodiscard]] std::string markdown(const Example& example);

}  // namespace nvm::frontend
