// Text that a terminal is to show, not to obey: control bytes, with which a program could move the cursor,
// set the title or type for the user, become \x1b and the like. Line ends, tabs and UTF-8 stay.
#pragma once

#include <string>
#include <string_view>

namespace nvm {

class Printable {
 public:
  // A text may come in pieces that end anywhere. Throws std::bad_alloc.
  [[nodiscard]] std::string operator()(std::string_view piece);
  // What the pieces ended in the middle of.
  [[nodiscard]] std::string rest();

 private:
  std::string begun_;  // bytes of a character that is not complete
  unsigned more_ = 0;  // that it still needs
};

[[nodiscard]] std::string printable(std::string_view text);

}  // namespace nvm
