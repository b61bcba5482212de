// Top-level forms, patterns and type expressions.
#include <algorithm>
#include <array>
#include <cctype>

#include "bytecode/base/ascii.h"
#include "bytecode/base/stack.h"
#include "frontend/nesl/form_parser.h"
#include "frontend/nesl/modules.h"

namespace nvm::frontend {
namespace {

constexpr std::array<std::string_view, 14> kCommands = {"help", "exit", "lisp",   "describe", "apropos",
                                                        "get",  "set",  "show",   "shell",    "dump",
                                                        "edit", "load", "import", "?"};

}  // namespace

FormParser::Nested::Nested(FormParser& parser) : parser_(parser) {
  check_stack();
  if (++parser_.depth_ > kMaxDepth) {
    --parser_.depth_;
    parser_.fail("nested too deeply: more than " + std::to_string(kMaxDepth) + " levels");
  }
}

void FormParser::note_open(const Token& token) {
  if (token.is("(") || token.is("[") || token.is("{")) open_.push_back(token.text[0]);
  if (token.is_word("let")) open_.push_back('l');
  if (token.is_word("in") && !open_.empty() && open_.back() == 'l') open_.pop_back();
  const char opener = token.is(")") ? '(' : token.is("]") ? '[' : token.is("}") ? '{' : '\0';
  if (opener == '\0') return;
  const auto found = std::find(open_.rbegin(), open_.rend(), opener);
  if (found != open_.rend()) open_.erase(found.base() - 1, open_.end());
}

void FormParser::advance() {
  note_open(p_.token_);
  p_.offset_ = p_.token_.end;
  p_.token_ = std::move(p_.ahead_);
  p_.ahead_ = p_.lexer_.next();
}

bool FormParser::at_end_of_form() const {
  return at(";") || at("$") || (p_.token_.kind == Tok::kEnd && p_.source_.end_closes);
}

// Stops behind a terminator that closes the form: $, a ; outside of brackets and lets unless more of a form
// that began in the first column follows in a later line, or a ; that ends a line when the next form begins
// in the first column. A definition that begins there is the next form, too.
void FormParser::recover(const Form& failed) {
  while (p_.token_.kind != Tok::kEnd) {
    const bool defines = at_word("function") || at_word("datatype");
    if (defines && p_.token_.pos.column == 1 && p_.token_.pos.line > failed.pos.line) return;
    const bool begins = p_.ahead_.pos.column == 1 && p_.ahead_.pos.line > p_.token_.pos.line;
    const bool goes_on = !begins && p_.ahead_.kind != Tok::kEnd && failed.pos.column == 1 &&
                         p_.ahead_.pos.line > failed.pos.line;
    const bool closes = at("$") || (at(";") && (begins || (open_.empty() && !goes_on)));
    advance();
    if (closes) return;
  }
}

std::string FormParser::shown() const {
  switch (p_.token_.kind) {
    case Tok::kEnd: return p_.source_.end_closes ? "end of text" : "end of file";
    case Tok::kString: return "a string";
    case Tok::kChar: return "a character";
    case Tok::kInvalid: return "this";
    case Tok::kSymbol:
      if (p_.source_.text[p_.token_.begin] == kBlockEnd) return "end of block";
      [[fallthrough]];
    default: return upper(p_.token_.text);
  }
}

void FormParser::fail(const std::string& message) { fail_at(p_.token_.pos, message + hint(message)); }

void FormParser::fail_at(SourcePos pos, const std::string& message) {
  if (p_.token_.kind == Tok::kEnd && pos == p_.token_.pos) {
    if (!p_.lexer_.unfinished())
      p_.diagnostics_.error(pos, (p_.source_.end_closes ? "" : "premature end of file: ") + message);
  } else if (p_.token_.kind != Tok::kInvalid) {  // the lexer reported those
    p_.diagnostics_.error(pos, message);
  }
  throw Parser::Failure{};
}

bool FormParser::accept(const char* symbol) {
  if (!at(symbol)) return false;
  advance();
  return true;
}

void FormParser::expect(const char* symbol, const char* where) {
  if (!accept(symbol)) fail(std::string("expected ") + symbol + " instead of " + shown() + " " + where);
}

void FormParser::expect_word(const char* word, const char* where) {
  if (!at_word(word)) fail("expected " + upper(word) + " instead of " + shown() + " " + where);
  advance();
}

void FormParser::end_of_form(const Form& form) {
  if (!at_end_of_form()) {
    if (at(")") || at("]") || at("}"))
      fail("unexpected " + shown() + ": nothing is open that it could close");
    const std::string message = "expected ; or $ instead of " + shown() + " at the end of the form";
    if (const std::string forgotten = end_hint(p_.source_.text, p_.token_, form.pos); !forgotten.empty())
      fail_at(p_.token_.pos, message + forgotten);
    fail(message);
  }
}

void FormParser::read(Form& form) {
  form.pos = p_.token_.pos;
  form.source = p_.source_.number;
  const std::size_t begin = p_.token_.begin;
  if (binds_reserved(p_.token_, p_.ahead_)) fail(reserved_word(p_.token_.text));
  if (at_word("function")) {
    function_form(form);
  } else if (at_word("datatype")) {
    datatype_form(form);
  } else if (at_word("defconfig")) {
    defconfig_form(form);
  } else if (at_command()) {
    command_form(form);
  } else {
    exp_form(form);
  }
  end_of_form(form);
  form.text = p_.source_.text.substr(begin, p_.token_.begin - begin);
  while (!form.text.empty() && form.text.back() <= ' ') form.text.pop_back();
  advance();
}

std::string reserved_word(const std::string& word) {
  if (word != "t" && word != "f" && word != "time")
    return "the reserved word " + upper(word) + " cannot be used as a variable";
  const std::string meaning = word == "time"
                                  ? "time(e) measures e"
                                  : std::string("it is the boolean ") + (word == "t" ? "true" : "false") +
                                        "; only a local variable may be called " + word + ", in lower case";
  return "the symbol " + upper(word) + " is a special symbol, it cannot be used as a variable: " + meaning;
}

bool FormParser::written_small() const { return p_.source_.text[p_.token_.begin] >= 'a'; }

// Local names may be t and f, written so; T and F are the truth values everywhere.
std::string FormParser::name(const char* what, bool local) {
  const Token& token = p_.token_;
  if (token.kind != Tok::kName) fail(std::string("expected ") + what + " instead of " + shown());
  const bool truth = token.text == "t" || token.text == "f";
  const bool shadows = truth && local && written_small();
  if ((truth && !shadows) || token.text == "time") fail(reserved_word(token.text));
  if ((is_reserved(token.text) && !shadows) || token.text == "?")
    fail(std::string("expected ") + what + " instead of the reserved word " + shown());
  if (!prefix_of(token.text).empty())
    fail(std::string("expected ") + what + " instead of the name " + shown() + " of a module");
  std::string text = token.text;
  advance();
  return text;
}

// The prelude also defines operators.
std::string FormParser::function_name() {
  static constexpr std::array<std::string_view, 8> kLogical = {"and", "or", "nor", "nand", "xor", "time"};
  const Token& token = p_.token_;
  const bool word =
      token.kind == Tok::kName && std::find(kLogical.begin(), kLogical.end(), token.text) != kLogical.end();
  const bool symbol = token.kind == Tok::kSymbol && token.text.find_first_of("()[]{},;:$=") != 0;
  if (!p_.source_.builtin || !(word || symbol || token.is("=="))) return name("the name of a function");
  std::string text = token.text;
  const std::size_t end = token.end;
  advance();
  const bool suffixed = p_.token_.kind == Tok::kName && p_.token_.begin == end;  // <__other
  if (!suffixed) return text;
  text += p_.token_.text;
  advance();
  return text;
}

void FormParser::function_form(Form& form) {
  form.kind = FormKind::kFunction;
  advance();
  form.name_pos = p_.token_.pos;
  form.name = p_.token_.text;  // to blame, should it be none
  form.name = function_name();
  if (at("=")) fail("expected a parameter instead of =: functions must have at least one argument");
  form.pattern = pattern(&form.defaults);
  if (accept(":")) {
    form.sig = std::make_unique<TypeSig>(signature());
    if (form.sig->type.kind != TypeExpr::Kind::kFn)
      fail_at(form.sig->type.pos,
              "not a function type: write int -> int, or (int, int) -> int for a function of two arguments");
  }
  if (p_.token_.kind == Tok::kString) {
    form.doc = p_.token_.text;
    advance();
  }
  if (at_end_of_form() && form.sig) {
    form.kind = FormKind::kForward;
    return;
  }
  if (!accept("=")) fail("expected = or : instead of " + shown() + " after the parameters of a function");
  form.exp = exp();
}

void FormParser::datatype_form(Form& form) {
  form.kind = FormKind::kDatatype;
  advance();
  form.name_pos = p_.token_.pos;
  form.name = name("the name of a datatype");
  form.sig = std::make_unique<TypeSig>(signature());
}

void FormParser::defconfig_form(Form& form) {
  form.kind = FormKind::kDefconfig;
  advance();
  form.name_pos = p_.token_.pos;
  form.name = name("the name of a configuration");
  form.keywords = keywords();
}

Keyword FormParser::keyword() {
  Keyword result;
  result.pos = p_.token_.pos;
  result.name = name("a keyword", true);
  expect(":=", "after a keyword");
  result.value = lambda();
  return result;
}

std::vector<Keyword> FormParser::keywords() {
  std::vector<Keyword> list;
  while (accept(",")) list.push_back(keyword());
  return list;
}

// A variable may be named like a command: set = 3; and get(a, i) mean what they say.
bool FormParser::at_command() const {
  if (p_.token_.kind != Tok::kName || p_.source_.builtin) return false;
  if (std::find(kCommands.begin(), kCommands.end(), p_.token_.text) == kCommands.end()) return false;
  if (p_.token_.text == "import") return p_.ahead_.kind == Tok::kString;
  return !p_.ahead_.is("=") && !(p_.token_.text == "get" && p_.ahead_.is("("));
}

void FormParser::command_form(Form& form) {
  form.kind = FormKind::kCommand;
  form.name_pos = p_.token_.pos;
  form.name = p_.token_.text;
  advance();
  const auto word = [&] {
    const Token& token = p_.token_;
    if (token.kind == Tok::kEnd || token.kind == Tok::kInvalid)
      fail("expected ; or $ at the end of the command");
    const bool is_string = token.kind == Tok::kString;
    const auto raw = p_.source_.text.substr(token.begin, token.end - token.begin);
    form.words.push_back({is_string ? token.text : std::string(raw), token.pos, is_string});
    advance();
  };
  const bool dump_vcode = form.name == "dump" && at_word("vcode");
  for (int i = 0; dump_vcode && i < 2 && !at_end_of_form(); ++i) word();
  if ((form.name == "load" || dump_vcode) && !at_end_of_form()) {
    in_parentheses_ = form.name == "load" && at("(") ? &form.keywords : nullptr;
    form.exp = lambda();
    for (Keyword& key : keywords()) form.keywords.push_back(std::move(key));
    for (const Keyword& key : form.keywords) {
      const bool known = key.name == "print" || key.name == "verbose" || key.name == "save_filename";
      if (!known)
        fail_at(key.pos, "invalid optional argument " + upper(key.name) +
                             ": those of LOAD are print, verbose and save_filename");
      if (key.value->kind != ExprKind::kBool) fail_at(key.value->pos, "expected t or f");
    }
  }
  while (!at_end_of_form()) word();
}

// What is bound at the top level is seen by all that follows.
void FormParser::refuse_truth(const Pattern& pattern) {
  if (pattern.kind == Pattern::Kind::kName && (pattern.name == "t" || pattern.name == "f"))
    fail_at(pattern.pos, reserved_word(pattern.name));
  for (const Pattern& item : pattern.items) refuse_truth(item);
}

void FormParser::exp_form(Form& form) {
  form.name_pos = p_.token_.pos;
  form.exp = exp();
  const bool bind = at("="), file = at("|="), background = at("&=");
  if (!bind && !file && !background) return;
  form.pattern = to_pattern(*form.exp);
  refuse_truth(form.pattern);
  advance();
  form.exp = exp(background ? &form.keywords : nullptr);
  form.kind = bind ? FormKind::kBind : file ? FormKind::kFileBind : FormKind::kBackground;
  if (!background) return;
  if (form.pattern.kind != Pattern::Kind::kName) fail_at(form.pos, "expected one name before &=");
  form.name = form.pattern.name;
}

// Patterns.

Pattern FormParser::variable(const std::string& text, SourcePos pos) {
  Pattern result;
  result.pos = pos;
  result.kind = Pattern::Kind::kName;
  result.name = text;
  return result;
}

Pattern FormParser::pattern(std::vector<Keyword>* defaults) {
  const Nested nested(*this);
  Pattern first = simple_pattern(defaults);
  if (!at(",")) return first;
  Pattern tuple;
  tuple.kind = Pattern::Kind::kTuple;
  tuple.pos = first.pos;
  tuple.items.push_back(std::move(first));
  while (accept(",")) tuple.items.push_back(simple_pattern(defaults));
  if (static_cast<int>(tuple.items.size()) > kMaxDepth)
    fail_at(tuple.pos, "too many components in this pattern");
  return tuple;
}

Pattern FormParser::simple_pattern(std::vector<Keyword>* defaults) {
  const Nested nested(*this);
  const SourcePos pos = p_.token_.pos;
  if (accept("(")) {
    Pattern inner = pattern(defaults);
    expect(")", "to end a parenthesized pattern");
    return inner;
  }
  if (at("[")) fail("square brackets cannot be used for pattern matching");
  if (p_.token_.kind == Tok::kInt || p_.token_.kind == Tok::kFloat)
    fail("the value " + shown() + " is not a valid variable name");
  if (p_.token_.kind != Tok::kName) fail("unexpected " + shown() + " where a pattern was expected");
  const bool of_module = !prefix_of(p_.token_.text).empty() && p_.ahead_.is("(");
  std::string text = of_module ? p_.token_.text : name("a variable", true);
  if (of_module) advance();
  if (accept("(")) {
    Pattern record;
    record.kind = Pattern::Kind::kRecord;
    record.pos = pos;
    record.name = std::move(text);
    record.items.push_back(pattern());
    expect(")", "to end a record pattern");
    return record;
  }
  if (defaults != nullptr && at(":=")) {
    advance();
    defaults->push_back({text, pos, lambda()});
  } else if (defaults != nullptr && !defaults->empty()) {
    fail_at(pos, "a parameter without a default value must not follow one with a default value");
  }
  return variable(text, pos);
}

bool is_variable(const Expr& exp) {
  return (exp.kind == ExprKind::kName && !exp.builtin) || (exp.kind == ExprKind::kBool && !exp.text.empty());
}

// What was read as an expression may have been quoted: 'if and '[ are expressions, if and [ no names to bind.
// Only variables may be called t and f.
const std::string& FormParser::bindable(const Expr& exp, bool is_local) {
  const auto first = static_cast<unsigned char>(exp.text[0]);
  const bool is_word = std::isalpha(first) != 0 || first == '_' || first == '~';
  const bool shadows = is_local && (exp.text == "t" || exp.text == "f");
  if (!is_word || (is_reserved(exp.text) && !shadows))
    fail_at(exp.pos, "expected a name to bind instead of " + exp.text);
  return exp.text;
}

Pattern FormParser::to_pattern(const Expr& exp) {
  check_stack();
  if (is_variable(exp)) {
    if (!prefix_of(exp.text).empty()) fail_at(exp.pos, "expected a name to bind instead of " + exp.text);
    return variable(bindable(exp, true), exp.pos);
  }
  switch (exp.kind) {
    case ExprKind::kTuple: {
      Pattern tuple;
      tuple.kind = Pattern::Kind::kTuple;
      tuple.pos = exp.pos;
      for (const ExprPtr& item : exp.items) tuple.items.push_back(to_pattern(*item));
      return tuple;
    }
    case ExprKind::kCall: {
      if (exp.items[0]->kind != ExprKind::kName || exp.items[0]->builtin || !exp.keywords.empty()) break;
      Pattern record;
      record.kind = Pattern::Kind::kRecord;
      record.pos = exp.pos;
      record.name = bindable(*exp.items[0], false);
      record.items.push_back(to_pattern(*exp.items[1]));
      return record;
    }
    case ExprKind::kBool: fail_at(exp.pos, reserved_word(exp.int_value != 0 ? "t" : "f"));
    case ExprKind::kInt:
      fail_at(exp.pos, "the value " + std::to_string(exp.int_value) + " is not a valid variable name");
    case ExprKind::kSeq:
    case ExprKind::kEmpty: fail_at(exp.pos, "square brackets cannot be used for pattern matching");
    default: break;
  }
  fail_at(exp.pos, "expected a pattern (names, tuples and records of names) instead of this expression" +
                       pattern_hint(exp));
}

// Types.

TypeSig FormParser::signature() {
  TypeSig sig;
  sig.type = type();
  if (!accept("::")) return sig;
  const bool parenthesized = accept("(");
  class_binding(sig);
  while (accept(";")) class_binding(sig);
  if (parenthesized) expect(")", "to end the type bindings");
  return sig;
}

void FormParser::class_binding(TypeSig& sig) {
  TypeSig::ClassBinding binding;
  binding.pos = p_.token_.pos;
  binding.variable = p_.token_.is_word("f") || p_.token_.is_word("t") ? p_.token_.text : "";
  if (binding.variable.empty()) {
    binding.variable = name("a type variable");
  } else {
    advance();
  }
  expect_word("in", "in a type binding");
  binding.type_class = name("a type class (number, ordinal, scalar, logical or any)");
  sig.classes.push_back(std::move(binding));
}

TypeExpr FormParser::type() {
  const Nested nested(*this);
  TypeExpr first = arrow_type();
  if (!at(",")) return first;
  TypeExpr tuple;
  tuple.kind = TypeExpr::Kind::kTuple;
  tuple.pos = first.pos;
  tuple.items.push_back(std::move(first));
  while (accept(",")) tuple.items.push_back(arrow_type());
  if (static_cast<int>(tuple.items.size()) > kMaxDepth)
    fail_at(tuple.pos, "too many components in this type");
  return tuple;
}

TypeExpr FormParser::arrow_type() {
  const Nested nested(*this);
  TypeExpr left = tight_type();
  if (!accept("->")) return left;
  TypeExpr fn;
  fn.kind = TypeExpr::Kind::kFn;
  fn.pos = left.pos;
  fn.items.push_back(std::move(left));
  fn.items.push_back(arrow_type());
  return fn;
}

TypeExpr FormParser::tight_type() {
  const Nested nested(*this);
  TypeExpr result;
  result.pos = p_.token_.pos;
  if (accept("(")) {
    result = type();
    expect(")", "to end a parenthesized type");
    return result;
  }
  if (accept("[")) {
    result.kind = TypeExpr::Kind::kSeq;
    result.items.push_back(type());
    expect("]", "to end a sequence type");
    return result;
  }
  if (p_.token_.kind != Tok::kName) fail("unexpected " + shown() + " where a type was expected");
  result.name = p_.token_.text;  // any word: type names and variables are a world of their own
  advance();
  if (!at("(")) return result;
  advance();
  result.items.push_back(arrow_type());
  while (accept(",")) result.items.push_back(arrow_type());
  expect(")", "to end the arguments of a type");
  return result;
}

}  // namespace nvm::frontend
