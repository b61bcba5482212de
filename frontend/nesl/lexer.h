// NESL text to tokens (one at a time, two of look-ahead are the parser's business).
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "bytecode/table/types.h"
#include "frontend/nesl/source.h"

namespace nvm::frontend {

enum class Tok : std::uint8_t {
  kEnd,      // end of the text
  kName,     // identifier or reserved word, lower case in `text`
  kQuoted,   // 'x: the next token as a plain name
  kInt,      // int_value; the magnitude of the least INT as that INT: good behind a minus sign only
  kFloat,    // float_value
  kChar,     // int_value
  kString,   // text
  kSymbol,   // operator or punctuation, in `text`
  kInvalid,  // reported already
};

struct Token {
  Tok kind = Tok::kEnd;
  SourcePos pos;
  std::size_t begin = 0, end = 0;  // byte range in the text
  std::string text;
  std::int64_t int_value = 0;
  double float_value = 0;
  int errors = 0;  // found while it was read
  // Of a string: where a backslash stands before a character that is none of the escapes, line 0 if nowhere.
  // The character stands for itself, as in release 3.1; whether that may be is the parser's to say.
  SourcePos strange_escape{0, 0};

  [[nodiscard]] bool is(const char* symbol) const { return kind == Tok::kSymbol && text == symbol; }
  [[nodiscard]] bool is_word(const char* word) const { return kind == Tok::kName && text == word; }
};

class Lexer {
 public:
  Lexer(const Source& source, Diagnostics& diagnostics, IntBits bits = IntBits::k64);

  // What is wrong with an integer that is no INT.
  [[nodiscard]] std::string not_an_int() const;

  // The next token; kEnd for ever at the end, in the place behind the last token. Errors are reported once,
  // at their place.
  Token next();
  // Errors in the diagnostics, and those that are not reported again.
  [[nodiscard]] int errors() const { return diagnostics_.errors() + repeated_; }
  // Whether the text ended inside a comment or a string.
  [[nodiscard]] bool unfinished() const { return unfinished_; }

 private:
  Token read();
  [[nodiscard]] char peek(std::size_t ahead = 0) const;
  void advance();
  void skip_blanks();
  void read_name(Token& token);
  [[nodiscard]] bool at_prime() const;
  void read_primes(Token& token);
  void read_number(Token& token);
  void read_string(Token& token);
  void read_escape(Token& token);
  void read_char(Token& token);
  void read_symbol(Token& token);
  void read_quoted(Token& token);
  [[nodiscard]] SourcePos here() const { return {line_, column_}; }

  std::string_view text_;
  Diagnostics& diagnostics_;
  IntBits bits_;
  std::size_t at_ = 0;
  std::uint32_t line_;
  std::uint32_t column_;
  SourcePos behind_{0, 0};  // the last token
  bool unfinished_ = false;
  std::set<std::string> primed_;  // names with a ' that were reported
  int repeated_ = 0;              // as often as they came again
};

// Words that cannot name anything: if then else let in function ... t f time; but local variables t and f.
[[nodiscard]] bool is_reserved(std::string_view name);

}  // namespace nvm::frontend
