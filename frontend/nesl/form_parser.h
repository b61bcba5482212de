// The recursive descent behind Parser: one object per top-level form. Private to the parser.
#pragma once

#include <string>
#include <vector>

#include "frontend/nesl/parser.h"

namespace nvm::frontend {

// Does a name stand alone, or a truth value that may be the name of a variable?
[[nodiscard]] bool is_variable(const Expr& exp);

// Is a word that cannot be a name followed by what only follows a name that is bound?
[[nodiscard]] bool binds_reserved(const Token& word, const Token& ahead);
// Why it cannot.
[[nodiscard]] std::string reserved_word(const std::string& word);

class FormParser {
 public:
  explicit FormParser(Parser& parser) : p_(parser) {}

  // Reads a form; on failure what was read of it stays.
  void read(Form& form);
  // After a failure: skips to the end of the form, so that the next one can be read.
  void recover(const Form& failed);

 private:
  // Tokens.
  void advance();
  void note_open(const Token& token);
  [[nodiscard]] bool at(const char* symbol) const { return p_.token_.is(symbol); }
  [[nodiscard]] bool at_word(const char* word) const { return p_.token_.is_word(word); }
  [[nodiscard]] bool at_end_of_form() const;
  bool accept(const char* symbol);
  void expect(const char* symbol, const char* where);
  void expect_word(const char* word, const char* where);
  void end_of_form(const Form& form);
  [[noreturn]] void fail(const std::string& message);
  [[noreturn]] void fail_at(SourcePos pos, const std::string& message);
  [[nodiscard]] std::string hint(const std::string& message) const;  // parse_hints.cpp
  [[nodiscard]] std::string pattern_hint(const Expr& exp) const;     // of one that is none
  [[nodiscard]] std::string generator_hint(const Expr& exp) const;
  [[nodiscard]] static std::string condition_hint(const Expr& exp);
  [[nodiscard]] std::string shown() const;  // the current token for messages
  struct Nested {                           // counts nesting, fails beyond kMaxDepth
    explicit Nested(FormParser& parser);
    ~Nested() { --parser_.depth_; }
    FormParser& parser_;
  };

  // Forms.
  void function_form(Form& form);
  void datatype_form(Form& form);
  void defconfig_form(Form& form);
  void command_form(Form& form);
  void exp_form(Form& form);
  void refuse_truth(const Pattern& pattern);
  [[nodiscard]] bool at_command() const;
  std::string name(const char* what, bool local = false);
  std::string function_name();
  Keyword keyword();
  std::vector<Keyword> keywords();

  // Patterns and types.
  Pattern pattern(std::vector<Keyword>* defaults = nullptr);
  Pattern simple_pattern(std::vector<Keyword>* defaults);
  Pattern variable(const std::string& text, SourcePos pos);
  Pattern to_pattern(const Expr& exp);
  const std::string& bindable(const Expr& exp, bool is_local);
  [[nodiscard]] bool written_small() const;  // the current token, a letter
  TypeSig signature();
  void class_binding(TypeSig& sig);
  TypeExpr type();
  TypeExpr arrow_type();
  TypeExpr tight_type();

  // Expressions, loosest first.
  ExprPtr exp(std::vector<Keyword>* keywords = nullptr);
  ExprPtr lambda();
  ExprPtr binary(int level);
  ExprPtr prefix();
  ExprPtr postfix();
  ExprPtr primary();
  ExprPtr name_or_form();
  ExprPtr paren();
  ExprPtr arguments(ExprPtr function);
  ExprPtr sequence();
  ExprPtr if_exp();
  ExprPtr let_exp();
  ExprPtr each();
  ExprPtr pattern_value(Pattern& pattern);
  ExprPtr one_by_one(ExprPtr each);
  Generator generator_of(ExprPtr first);
  ExprPtr closure();
  ExprPtr timed();
  [[nodiscard]] bool starts_primary() const;

  // Nodes.
  ExprPtr node(ExprKind kind, SourcePos pos);
  ExprPtr name_node(const std::string& text, SourcePos pos, bool builtin);
  ExprPtr call(const std::string& op, SourcePos pos, ExprPtr a, ExprPtr b = nullptr, ExprPtr c = nullptr);
  ExprPtr finish(ExprPtr exp);

  Parser& p_;
  int depth_ = 0;
  std::vector<Keyword>* in_parentheses_ =
      nullptr;              // keywords that the next parenthesis may hold: load("f", print := t)
  std::vector<char> open_;  // brackets and lets (l) not closed yet, for recovery
};

// Of a form that began at `begin` and goes on, at `token`, in a line that looks as if it began one.
[[nodiscard]] std::string end_hint(std::string_view text, const Token& token, SourcePos begin);

}  // namespace nvm::frontend
