// Hints for those who write what other languages have: appended to messages of the parser.
#include "frontend/form_parser.h"

namespace nvm::frontend {
namespace {

struct Hint {
  const char* token;    // where reading failed; "" for a name, null for any
  const char* message;  // part of what is said; "" for any
  const char* hint;
};

constexpr Hint kHints[] = {
    {"=", "after a binding of a LET", "a ; separates bindings"},
    {"=", "to terminate an APPLY-TO-EACH", "a generator is written with IN, equality with =="},
    {"=", "expected", "equality is written =="},
    {":=", "", "= binds a variable"},
    {":", "to terminate an APPLY-TO-EACH", "a condition stands behind |"},
    {":", "to end a parenthesized pattern", "types stand behind the parameters, as in f(x) : int -> int"},
    {"", "to end a parenthesized pattern", "types stand behind the parameters, as in f(x) : int -> int"},
    {"->", "after the parameters", "the type of a function is written : int -> int"},
    {")", "where a pattern was expected", "a function has at least one argument"},
    {nullptr, "after the pattern in a LET", "IN ends the bindings"},
};

}  // namespace

std::string FormParser::hint(const std::string& message) const {
  const Token& token = p_.token_;
  const std::string_view text = p_.source_.text;
  const char before = token.begin > 0 && token.begin <= text.size() ? text[token.begin - 1] : ' ';
  const char behind = token.end < text.size() ? text[token.end] : ' ';
  if (token.is(">") && before == '<') return "; not equal is written /=";
  if (token.is("*") && before == '*') return "; a power is written ^";
  if (token.is("/") && behind == '/') return "; comments stand between two %";
  for (const Hint& h : kHints) {
    const bool here = h.token == nullptr || (*h.token == '\0' ? token.kind == Tok::kName : token.is(h.token));
    if (here && message.find(h.message) != std::string::npos) return std::string("; ") + h.hint;
  }
  return "";
}

}  // namespace nvm::frontend
