// Hints for those who write what other languages have: appended to messages of the parser.
#include <algorithm>
#include <cctype>
#include <iterator>

#include "bytecode/base/ascii.h"
#include "frontend/nesl/form_parser.h"

namespace nvm::frontend {
namespace {

struct Hint {
  const char* token;    // symbol or word where reading failed; "" for a name, null for any
  const char* message;  // part of what is said; "" for any
  const char* hint;
};

constexpr Hint kHints[] = {
    {"=", "after a binding of a LET", "a ; separates bindings"},
    {"==", "after the pattern in a LET", "a binding is written ="},
    {"=", "to terminate an APPLY-TO-EACH", "a generator is written with IN, equality with =="},
    {"=", "where a type was expected", "a record is declared as in datatype point(float, float)"},
    {":", "to end a parenthesized type", "components have types, and no names"},
    {"=", "expected", "equality is written =="},
    {":=", "", "= binds a variable"},
    {":", "to terminate an APPLY-TO-EACH", "a condition stands behind |"},
    {"|", "to terminate an APPLY-TO-EACH", "AND joins conditions"},
    {":", "to terminate a sequence reference", "a part of v is subseq(v, start, end)"},
    {"}", "expected THEN", "a condition of an APPLY-TO-EACH stands behind |"},
    {"then", "expected ELSE", "a second condition stands in an ELSE IF"},
    {"in", "sequence", "an APPLY-TO-EACH stands between { and }"},
    {"in", "at the end of the form", "an APPLY-TO-EACH is written {body : pattern in sequence}"},
    {":", "to end a parenthesized pattern", "types stand behind the parameters, as in f(x) : int -> int"},
    {"", "to end a parenthesized pattern", "types stand behind the parameters, as in f(x) : int -> int"},
    {"->", "after the parameters", "the type of a function is written : int -> int"},
    {")", "where a pattern was expected", "a function has at least one argument"},
    {nullptr, "after the pattern in a LET", "IN ends the bindings"},
};

}  // namespace

std::string end_hint(std::string_view text, const Token& token, SourcePos begin) {
  if (token.kind == Tok::kEnd || token.pos.line <= begin.line) return "";
  const char first = text[text.rfind('\n', token.begin) + 1];
  const bool begins = std::isalpha(static_cast<unsigned char>(first)) != 0 || first == '(';
  return begins ? "; is a ; missing in front of the line with " + upper(token.text) + "?" : "";
}

std::string FormParser::hint(const std::string& message) const {
  const Token& token = p_.token_;
  const std::string_view text = p_.source_.text;
  const char before = token.begin > 0 && token.begin <= text.size() ? text[token.begin - 1] : ' ';
  const char behind = token.end < text.size() ? text[token.end] : ' ';
  if (token.is(">") && before == '<') return "; not equal is written /=";
  if (token.is("*") && before == '*') return "; a power is written ^";
  if (token.is("/") && (behind == '/' || behind == '*')) return "; comments stand between two %";
  if (token.is("=") && std::string_view("+-*/").find(before) != std::string_view::npos)
    return "; a variable gets a new value by x = x + 1";
  const auto ends_argument = [](const Token& t) { return t.is(",") || t.is(")"); };
  const bool infix_alone = message.find("missing its left") != message.npos && ends_argument(p_.ahead_);
  const bool prefix_alone = message.find("where an expression was") != message.npos && ends_argument(token) &&
                            std::string_view("-#@").find(before) != std::string_view::npos;
  if (infix_alone || prefix_alone)
    return "; as a function it is written '" + (infix_alone ? token.text : std::string(1, before));
  for (const Hint& h : kHints) {
    const bool here = h.token == nullptr || (*h.token == '\0' ? token.kind == Tok::kName
                                                              : token.is(h.token) || token.is_word(h.token));
    if (here && message.find(h.message) != std::string::npos) return std::string("; ") + h.hint;
  }
  return "";
}

std::string FormParser::pattern_hint(const Expr& exp) const {
  if (const std::string forgotten = end_hint(p_.source_.text, p_.token_, exp.pos); !forgotten.empty())
    return forgotten;
  const bool is_call = exp.kind == ExprKind::kCall;
  const bool called = is_call && !exp.items[0]->builtin;
  if (is_call && exp.items[0]->builtin && exp.items[0]->text == "elt")
    return "; rep(a, x, i) is a with x at place i";
  if (at_word("in") && !is_call) return "";
  if (at_word("in")) return "; an APPLY-TO-EACH is written {body : pattern in sequence}";
  if (called) return "; a function is defined as in function name(x) = x + 1";
  return at("=") ? "; equality is written ==" : "";
}

std::string FormParser::condition_hint(const Expr& exp) {
  const bool infix = exp.kind == ExprKind::kCall && exp.items[0]->builtin;
  static constexpr std::string_view kComparisons[] = {"<", ">", "<=", ">=", "==", "/="};
  const bool compares =
      infix && std::any_of(std::begin(kComparisons), std::end(kComparisons),
                           [&](std::string_view comparison) { return exp.items[0]->text == comparison; });
  return compares ? "; a condition stands behind |" : "";
}

std::string FormParser::generator_hint(const Expr& exp) const {
  const bool infix = exp.kind == ExprKind::kCall && exp.items[0]->builtin;
  const std::string name = infix ? exp.items[0]->text : "";
  if (name == "<-") return "; elements are taken with IN";
  if (const std::string condition = condition_hint(exp); !condition.empty()) return condition;
  if (at("|")) return "; the body is followed by a :";
  return at("}") ? "; parentheses ( ) group" : "";
}

}  // namespace nvm::frontend
