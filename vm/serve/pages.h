// What the playground serves as it is.
#pragma once

#include <span>
#include <string_view>

namespace nvm::serve {

struct Page {
  std::string_view path, type, text;
};
[[nodiscard]] std::span<const Page> pages();

// A program that the page offers.
struct Example {
  std::string_view name, language, text;
};
[[nodiscard]] std::span<const Example> examples();

}  // namespace nvm::serve
