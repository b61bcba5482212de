#include "frontend/nesl/lexer.h"

#include "bytecode/base/ascii.h"
#include "bytecode/base/stack.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "bytecode/base/budget.h"

namespace nvm::frontend {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// The legacy scanner takes ~ for a letter, too.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '~'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
// Longest first, so that the first match is the longest.
constexpr std::array<std::string_view, 34> kSymbols = {
    "==", "/=", "<=", ">=", "++", "->", "<-", "||", "|=", ":=", "=>", "&=", "::", "(", ")", "[", "]",
    "{",  "}",  ",",  ":",  ";",  "$",  "=",  "<",  ">",  "+",  "-",  "*",  "/",  "^", "#", "@", "|"};

constexpr std::array<std::string_view, 18> kReserved = {
    "if",   "then", "else", "in",  "let",  "function", "datatype", "defconfig", "closure",
    "pair", "and",  "or",   "nor", "nand", "xor",      "t",        "f",         "time"};

// Bytes of the character that the text begins with; 1 if it is no well-formed UTF-8.
std::size_t utf8_length(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  const std::size_t length = byte < 0xc2 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 1;
  for (std::size_t i = 1; i < length; ++i)
    if (i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 1;
  return length;
}

std::string shown(std::string_view character) {
  if (character.size() > 1 || (character[0] > ' ' && character[0] <= '~'))
    return "'" + std::string(character) + "'";
  static const char* hex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(character[0]);
  return std::string("byte 0x") + hex[byte >> 4] + hex[byte & 15];
}

}  // namespace

bool is_reserved(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

namespace {
constexpr std::int64_t least_int(IntBits bits) { return bits == IntBits::k32 ? INT32_MIN : INT64_MIN; }
}  // namespace

Lexer::Lexer(const Source& source, Diagnostics& diagnostics, IntBits bits)
    : text_(source.text),
      diagnostics_(diagnostics),
      bits_(bits),
      line_(source.first_line),
      column_(source.first_column) {
  if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // a mark that some editors write
}

char Lexer::peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

void Lexer::advance() {
  if (text_[at_++] == '\n') {
    ++line_;
    column_ = 1;
  } else {
    ++column_;
  }
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      advance();
    } else if (text_[at_] == '%') {
      const SourcePos start = here();
      advance();
      while (at_ < text_.size() && text_[at_] != '%') advance();
      if (at_ == text_.size()) {
        unfinished_ = true;
        diagnostics_.error(start,
                           "end of file inside of a comment that begins here; a comment ends with another %, "
                           "and a remainder is rem(a, b)");
        return;
      }
      advance();
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  check_budget();
  const int before = errors();
  Token token = read();
  token.errors = errors() - before;
  return token;
}

Token Lexer::read() {
  skip_blanks();
  Token token;
  token.pos = here();
  token.begin = at_;
  if (at_ >= text_.size()) {
    if (behind_.line != 0) token.pos = behind_;
    token.end = at_;
    return token;
  }
  const char c = peek();
  if (is_letter(c)) {
    read_name(token);
  } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    read_number(token);
  } else if (c == '"') {
    read_string(token);
  } else if (c == '`') {
    read_char(token);
  } else if (c == '\'') {
    read_quoted(token);
  } else if (c == kBlockEnd) {
    token.kind = Tok::kSymbol;
    token.text = "$";
    if (behind_.line != 0) token.pos = behind_;
    advance();
  } else {
    read_symbol(token);
  }
  token.end = at_;
  behind_ = here();
  return token;
}

void Lexer::read_name(Token& token) {
  token.kind = Tok::kName;
  while (is_letter(peek()) || is_digit(peek())) {
    token.text += lower(peek());
    advance();
  }
  if (peek() == '.' && is_letter(peek(1))) {  // of a module
    do {
      token.text += lower(peek());
      advance();
    } while (is_letter(peek()) || is_digit(peek()));
  }
  const bool quoted = token.begin > 0 && text_[token.begin - 1] == '\'';
  if (!quoted && at_prime()) read_primes(token);
}

// A quote behind a name, with nothing behind it that it could be the quote of.
bool Lexer::at_prime() const {
  std::size_t end = 0;
  while (peek(end) == '\'') ++end;
  if (end == 0) return false;
  constexpr std::string_view kClosers = "),;]}:|$";
  const char c = peek(end);
  return c == '\0' || is_blank(c) || kClosers.find(c) != kClosers.npos || (c == '=' && peek(end + 1) != '=');
}

// Goes on as if it belonged to the name, so that it is the only error.
void Lexer::read_primes(Token& token) {
  const SourcePos pos = here();
  for (; peek() == '\''; advance()) token.text += '\'';
  if (primed_.insert(token.text).second)
    diagnostics_.error(pos, "a name has no ' in it: it is made of letters, digits and _");
  else
    ++repeated_;
}

void Lexer::read_number(Token& token) {
  std::string digits;
  bool is_float = false;
  const auto take_digits = [&] {
    while (is_digit(peek())) {
      digits += peek();
      advance();
    }
  };
  take_digits();
  if (peek() == '.' && peek(1) == '.') {
    diagnostics_.error(here(), "a range of integers is written [first:end]");
    token.kind = Tok::kInvalid;
    advance();
    advance();
    return;
  }
  if (peek() == '.') {
    is_float = true;
    digits += '.';
    advance();
    take_digits();
  }
  if ((peek() == 'e' || peek() == 'E') && (is_digit(peek(1)) || peek(1) == '+' || peek(1) == '-')) {
    is_float = true;
    digits += 'e';
    advance();
    if (peek() == '-') digits += '-';
    if (!is_digit(peek())) advance();
    if (!is_digit(peek())) diagnostics_.error(here(), "the exponent of a number needs at least one digit");
    take_digits();
  }
  token.kind = is_float ? Tok::kFloat : Tok::kInt;
  token.text = digits;
  if (is_letter(peek())) {
    diagnostics_.error(here(), "a name must not follow a number without a blank between them");
    token.kind = Tok::kInvalid;
    while (is_letter(peek()) || is_digit(peek())) advance();
    return;
  }
  const char* last = digits.data() + digits.size();
  if (!is_float) {
    std::uint64_t magnitude = 0;
    const auto result = std::from_chars(digits.data(), last, magnitude);
    const auto least = static_cast<std::uint64_t>(least_int(bits_));
    token.int_value = static_cast<std::int64_t>(magnitude == 0 - least ? least : magnitude);
    if (result.ec == std::errc() && magnitude <= 0 - least) return;
    diagnostics_.error(token.pos, not_an_int());
    token.kind = Tok::kInvalid;
    return;
  }
  const auto result = std::from_chars(digits.data(), last, token.float_value);
  if (result.ec == std::errc::result_out_of_range) {
    diagnostics_.error(token.pos, "this number is out of the range of floating point");
    token.kind = Tok::kInvalid;
  }
}

std::string Lexer::not_an_int() const {
  return "this integer does not fit " + std::to_string(static_cast<int>(bits_)) +
         " bits (largest: " + std::to_string(-1 - least_int(bits_)) +
         (bits_ == IntBits::k32 ? "; integers of 64 bits: --int-bits 64)" : ")");
}

void Lexer::read_string(Token& token) {
  token.kind = Tok::kString;
  const SourcePos start = here();
  advance();
  while (at_ < text_.size() && peek() != '"') {
    if (peek() == '\\' && at_ + 1 < text_.size()) {
      read_escape(token);
    } else {
      token.text += peek();
      advance();
    }
  }
  if (at_ == text_.size()) {
    unfinished_ = true;
    token.kind = Tok::kInvalid;
    diagnostics_.error(start, "end of file inside of a string that begins here");
    return;
  }
  advance();
}

void Lexer::read_escape(Token& token) {
  constexpr std::string_view kEscapes = "ntr0\"\\\n";
  constexpr std::string_view kMeanings("\n\t\r\0\"\\\n", kEscapes.size());
  const SourcePos start = here();
  advance();
  const auto which = kEscapes.find(peek());
  if (which == kEscapes.npos && token.strange_escape.line == 0) token.strange_escape = start;
  token.text += which == kEscapes.npos ? peek() : kMeanings[which];
  advance();
}

void Lexer::read_char(Token& token) {
  advance();
  if (at_ == text_.size()) {
    unfinished_ = true;
    token.kind = Tok::kInvalid;
    diagnostics_.error(token.pos, "end of file after a backquote: a character was expected");
    return;
  }
  token.kind = Tok::kChar;
  token.int_value = static_cast<unsigned char>(peek());
  const std::size_t bytes = utf8_length(text_.substr(at_));
  if (bytes > 1) {
    const std::string text(text_.substr(at_, bytes));
    diagnostics_.error(token.pos, text + " takes " + std::to_string(bytes) +
                                      " bytes, and a character is one; a string holds it, as in \"" + text +
                                      "\"");
    token.kind = Tok::kInvalid;
  }
  for (std::size_t i = 0; i < bytes; ++i) advance();
}

void Lexer::read_symbol(Token& token) {
  for (const std::string_view symbol : kSymbols) {
    if (text_.substr(at_, symbol.size()) != symbol) continue;
    token.kind = Tok::kSymbol;
    token.text = symbol;
    for (std::size_t i = 0; i < symbol.size(); ++i) advance();
    return;
  }
  if (peek() == '?') {
    token.kind = Tok::kName;
    token.text = "?";
    advance();
    return;
  }
  token.kind = Tok::kInvalid;
  const std::string_view character = text_.substr(at_, utf8_length(text_.substr(at_)));
  const bool twice = peek(1) == peek();
  std::string message = "unexpected character " + shown(character);
  if (peek() == '!')
    message = peek(1) == '='
                  ? "not equal is written /="
                  : "the escape ! to the host language is not supported; not(a) is the inverse of a";
  if (peek() == '\\') message += "; a function value is written x => x + 1";
  if (peek() == '&' && twice) message = "the logical operators are the words and, or, not";
  if (peek() == '.')
    message += "; the parts of a record are had by a pattern, as in let point(x, y) = p in x";
  diagnostics_.error(token.pos, message);
  const std::size_t length = peek() == '&' && twice ? 2 : character.size();
  for (std::size_t i = 0; i < length; ++i) advance();
}

// 'x and '+ : the next token as a name.
void Lexer::read_quoted(Token& token) {
  check_stack();
  advance();
  skip_blanks();
  if (peek() == '\'') {  // a row of quotes is one error
    while (peek() == '\'') advance();
    token.kind = Tok::kInvalid;
    diagnostics_.error(token.pos, "a name or operator must follow the quote '");
    return;
  }
  const Token quoted = next();
  if (!quoted.text.empty() && peek() == '\'') {
    diagnostics_.error(token.pos, quoted.text.size() > 1 ? "a string is written \"" + quoted.text + "\""
                                                         : "a character is written `" + quoted.text +
                                                               ", without a quote behind it");
    token.kind = Tok::kInvalid;
    advance();
    return;
  }
  if (quoted.kind == Tok::kName || quoted.kind == Tok::kSymbol) {
    token.kind = Tok::kQuoted;
    token.text = quoted.text;
    return;
  }
  token.kind = Tok::kInvalid;
  if (quoted.kind != Tok::kInvalid)
    diagnostics_.error(token.pos, "a name or operator must follow the quote '");
}

}  // namespace nvm::frontend
