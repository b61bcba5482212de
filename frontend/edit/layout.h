// One form of NESL laid out: blanks between its words, and how far its lines are indented.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/nesl/ast.h"
#include "frontend/nesl/lexer.h"

namespace nvm::edit {

// A word of the language or a comment, as it is written.
struct LayoutWord {
  std::string_view text;
  bool comment = false;
  frontend::Token token;     // of no comment
  std::size_t newlines = 0;  // in front of it
  std::size_t blanks = 0;    // behind the last newline in front of it
};

[[nodiscard]] std::vector<LayoutWord> layout_words(std::string_view text);

// Where a form stands: whether nothing is in front of it, and how lines end.
struct LayoutPlace {
  bool first = true;
  std::string_view newline = "\n";
};

// Without an end of line behind the last word.
[[nodiscard]] std::string lay_out(const std::vector<LayoutWord>& words, frontend::FormKind kind,
                                  const LayoutPlace& place);

}  // namespace nvm::edit
