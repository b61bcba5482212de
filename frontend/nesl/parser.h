// NESL text to forms, one top-level form per call, with recovery: after an error the rest of the form up to
// its terminator is skipped, so one run reports every faulty form.
#pragma once

#include <optional>

#include "frontend/nesl/ast.h"
#include "frontend/nesl/lexer.h"

namespace nvm::frontend {

class Parser {
 public:
  // `bits` of INT: a literal that has more is an error.
  Parser(const Source& source, Diagnostics& diagnostics, IntBits bits = IntBits::k64);

  // The next form, or nothing: at_end() tells the end of the text from a faulty form (reported).
  std::optional<Form> next_form();
  [[nodiscard]] bool at_end() const;
  // The last faulty form was cut off by the end of the text: a terminal should read on.
  [[nodiscard]] bool incomplete() const { return incomplete_; }
  // Byte offset just behind the last form's terminator.
  [[nodiscard]] std::size_t offset() const { return offset_; }

 private:
  friend class FormParser;
  struct Failure {};  // thrown inside, caught by next_form
  [[nodiscard]] int errors_ahead() const;

  const Source& source_;
  Diagnostics& diagnostics_;
  Lexer lexer_;
  Token token_;  // the current token
  Token ahead_;  // the one after it
  bool incomplete_ = false;
  std::size_t offset_ = 0;
};

// What a faulty form would have defined is undefined: uses of it need no message of their own.
void blame(const Form& form, Diagnostics& diagnostics);

// A form read back as NESL text, fully parenthesised.
// present and asked for, follow each name as name{type}.
[[nodiscard]] std::string print_ast(const Form& form);
[[nodiscard]] std::string print_ast(const Expr& expr);
[[nodiscard]] std::string print_pattern(const Pattern& pattern);

}  // namespace nvm::frontend
