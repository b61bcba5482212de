// Claims about what a run costs, such as `work <= 3*n*log2(n)`.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace nvm::vm {

struct BoundCheck {
  std::string error;   // why the text makes no sense, with the place; empty if it does
  bool holds = false;  // never if a side is no finite number
  double left = 0, right = 0;
};

// A comparison (<= < >= > ==) of two expressions: numbers, names, "#name" for names that begin so, + - * / ^,
// parentheses, and log2 log sqrt min max of expressions.
[[nodiscard]] BoundCheck check_bound(std::string_view text,
                                     const std::map<std::string, double, std::less<>>& names);

}  // namespace nvm::vm
