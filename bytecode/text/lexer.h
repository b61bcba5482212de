// VCODE text to tokens (spec: lexical syntax). Comments vanish, except nvm's annotations (annotation.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "bytecode/base/diagnostic.h"

namespace nvm {

enum class TokenKind : std::uint8_t { kEnd, kInt, kFloat, kWord, kString, kOpen, kClose, kAnnotation };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // as written; strings without their quotes, annotations without their braces
  SourcePos pos;
};

// Makes one token after the other, in constant stack and time linear in the text. What belongs to no token is
// reported once per run of such bytes and skipped. The text must outlive the tokens.
class Lexer {
 public:
  Lexer(std::string_view text, Diagnostics& diagnostics);
  Token next();  // kEnd at the end, again and again
  // True if a string or comment without an end has swallowed the rest of the text.
  [[nodiscard]] bool cut_short() const { return cut_short_; }

 private:
  [[nodiscard]] SourcePos here() const;
  void skip_blanks();
  void pass_lines(std::size_t end);  // moves to `end`, counting newlines
  bool enclosed(char close, const char* what, Token& token);
  void unexpected();

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
  bool cut_short_ = false;
};

// A literal whose text the lexer has found to be well formed; saturates at the limits of 64 bits.
[[nodiscard]] std::int64_t int_literal(std::string_view text);

}  // namespace nvm
