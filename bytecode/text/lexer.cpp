#include "bytecode/text/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>

#include "bytecode/base/budget.h"
#include "bytecode/text/annotation.h"

namespace nvm {

namespace {

enum class Class : std::uint8_t { kBad, kBlank, kName, kOther };

// Names may also hold ?'$&@~^|: which mean nothing else in VCODE; the legacy scanner refused them.
constexpr auto kClasses = [] {
  std::array<Class, 256> classes{};
  for (const char c : std::string_view(" \t\n\r\f\v")) classes[static_cast<unsigned char>(c)] = Class::kBlank;
  for (const char c : std::string_view("_.!=<>%/*+-?'$&@~^|:"))
    classes[static_cast<unsigned char>(c)] = Class::kName;
  for (const char c : std::string_view("(){\"")) classes[static_cast<unsigned char>(c)] = Class::kOther;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] = Class::kName;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] = Class::kName;
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] = Class::kName;
  return classes;
}();

constexpr Class class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

std::size_t skip_sign(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] == '+' || text[at] == '-') ? at + 1 : at;
}

// A maximal run of name characters is a number if all of it is one, else a word.
TokenKind classify(std::string_view run) {
  const std::size_t start = skip_sign(run, 0);
  std::size_t at = skip_digits(run, start);
  if (at == start) return TokenKind::kWord;
  if (at == run.size()) return TokenKind::kInt;
  if (run[at] != '.') return TokenKind::kWord;
  at = skip_digits(run, at + 1);
  if (at == run.size()) return TokenKind::kFloat;
  if (run[at] != 'e' && run[at] != 'E') return TokenKind::kWord;
  const std::size_t exponent = skip_sign(run, at + 1);
  const bool whole = exponent < run.size() && skip_digits(run, exponent) == run.size();
  return whole ? TokenKind::kFloat : TokenKind::kWord;
}

}  // namespace

Lexer::Lexer(std::string_view text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // byte order mark
}

SourcePos Lexer::here() const { return {line_, static_cast<std::uint32_t>(at_ - line_start_ + 1)}; }

void Lexer::pass_lines(std::size_t end) {
  for (std::size_t next = text_.find('\n', at_); next < end; next = text_.find('\n', next + 1)) {
    ++line_;
    line_start_ = next + 1;
  }
  at_ = end;
}

void Lexer::skip_blanks() {
  for (; at_ < text_.size() && class_of(text_[at_]) == Class::kBlank; ++at_) {
    if (text_[at_] == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    }
  }
}

// From an opening quote or brace to its end; text between them into `token`. False if there is no end.
bool Lexer::enclosed(char close, const char* what, Token& token) {
  const std::size_t end = text_.find(close, at_ + 1);
  if (end == std::string_view::npos) {
    diagnostics_.error(here(), std::string("this ") + what + " does not end: expected " + close +
                                   " before the end of the file");
    pass_lines(text_.size());
    cut_short_ = true;
    return false;
  }
  token.text = text_.substr(at_ + 1, end - at_ - 1);
  pass_lines(end + 1);
  return true;
}

void Lexer::unexpected() {
  const SourcePos pos = here();
  const auto byte = static_cast<unsigned char>(text_[at_]);
  std::string shown;
  if (byte > 0x20 && byte < 0x7f) {
    shown = std::string("'") + text_[at_] + "'";
  } else {
    constexpr std::string_view kHex = "0123456789abcdef";
    shown = std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
  }
  while (at_ < text_.size() && class_of(text_[at_]) == Class::kBad) ++at_;
  diagnostics_.error(pos, "Unexpected character in input: " + shown +
                              (byte == '}' ? " without an open comment" : " belongs to no VCODE word"));
}

Token Lexer::next() {
  for (;;) {
    check_budget();
    skip_blanks();
    Token token;
    token.pos = here();
    if (at_ >= text_.size()) return token;
    const char c = text_[at_];
    if (class_of(c) == Class::kName) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && class_of(text_[at_]) == Class::kName) ++at_;
      token.text = text_.substr(begin, at_ - begin);
      token.kind = classify(token.text);
      return token;
    }
    if (c == '(' || c == ')') {
      token.kind = c == '(' ? TokenKind::kOpen : TokenKind::kClose;
      token.text = text_.substr(at_++, 1);
      return token;
    }
    if (c == '"') {
      if (!enclosed('"', "string", token)) continue;
      token.kind = TokenKind::kString;
      return token;
    }
    if (c == '{') {
      if (!enclosed('}', "comment", token) || !is_annotation(token.text)) continue;
      token.kind = TokenKind::kAnnotation;
      return token;
    }
    unexpected();
  }
}

std::int64_t int_literal(std::string_view text) {
  const bool negative = text.front() == '-';
  if (text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc::result_out_of_range) return value;
  return negative ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

}  // namespace nvm
