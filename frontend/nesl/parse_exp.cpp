// Expressions: precedence climbing over the table of binary operators.
#include <algorithm>
#include <array>
#include <utility>

#include "bytecode/base/stack.h"
#include "frontend/nesl/form_parser.h"

namespace nvm::frontend {
namespace {

struct Operator {
  std::string_view name;
  int level;  // higher binds tighter
  bool right = false;
};

constexpr std::array<Operator, 20> kOperators = {{
    {"or", 1}, {"nor", 1}, {"xor", 1}, {"and", 2}, {"nand", 2}, {"==", 3},       {"/=", 3},
    {"<", 3},  {">", 3},   {"<=", 3},  {">=", 3},  {"+", 4},    {"-", 4},        {"++", 4},
    {"*", 5},  {"/", 5},   {"||", 5},  {"^", 6},   {"<-", 7},   {"->", 8, true},
}};

const Operator* find_operator(const Token& token) {
  if (token.kind != Tok::kSymbol && token.kind != Tok::kName && token.kind != Tok::kQuoted) return nullptr;
  const auto* found = std::find_if(kOperators.begin(), kOperators.end(),
                                   [&](const Operator& op) { return op.name == token.text; });
  return found == kOperators.end() ? nullptr : found;
}

}  // namespace

bool binds_reserved(const Token& word, const Token& ahead) {
  if (word.kind != Tok::kName || !is_reserved(word.text) || word.text == "t" || word.text == "f")
    return false;
  if (ahead.is("=") || ahead.is("|=") || ahead.is("&=") || ahead.is("=>") || ahead.is(":")) return true;
  if (ahead.is_word("in")) return word.text != "let" && word.text != "if";  // before a variable called IN
  const bool infix = find_operator(word) != nullptr;                        // (or) may be meant to be 'or
  return !infix && (ahead.is(",") || ahead.is(")"));
}

ExprPtr FormParser::node(ExprKind kind, SourcePos pos) {
  auto result = std::make_unique<Expr>();
  result->kind = kind;
  result->pos = pos;
  return result;
}

ExprPtr FormParser::name_node(const std::string& text, SourcePos pos, bool builtin) {
  ExprPtr result = node(ExprKind::kName, pos);
  result->text = text;
  result->builtin = builtin;
  return result;
}

// Sets the height of a tree, so that no later pass recurses without bound.
ExprPtr FormParser::finish(ExprPtr exp) {
  int height = 0;
  const auto below = [&](const ExprPtr& child) {
    if (child) height = std::max(height, static_cast<int>(child->depth));
  };
  for (const ExprPtr& item : exp->items) below(item);
  for (const Keyword& keyword : exp->keywords) below(keyword.value);
  for (const LetBinding& binding : exp->bindings) below(binding.value);
  for (const Generator& generator : exp->generators) below(generator.source);
  below(exp->body);
  below(exp->sieve);
  if (exp->kind == ExprKind::kTuple) height = std::max(height, static_cast<int>(exp->items.size()));
  height += static_cast<int>(exp->bindings.size() / kBindingsPerLevel);  // each stands within the one before
  if (height >= kMaxHeight)
    fail_at(exp->pos,
            "expression nested too deeply: a tree of more than " + std::to_string(kMaxHeight) + " levels");
  exp->depth = static_cast<std::uint16_t>(height + 1);
  return exp;
}

ExprPtr FormParser::call(const std::string& op, SourcePos pos, ExprPtr a, ExprPtr b, ExprPtr c) {
  ExprPtr argument = std::move(a);
  if (b) {
    ExprPtr tuple = node(ExprKind::kTuple, argument->pos);
    tuple->items.push_back(std::move(argument));
    tuple->items.push_back(std::move(b));
    if (c) tuple->items.push_back(std::move(c));
    argument = finish(std::move(tuple));
  }
  ExprPtr result = node(ExprKind::kCall, pos);
  result->items.push_back(name_node(op, pos, true));
  result->items.push_back(std::move(argument));
  return finish(std::move(result));
}

// With `keywords`, trailing name := value parts are put there.
ExprPtr FormParser::exp(std::vector<Keyword>* keywords) {
  ExprPtr first = lambda();
  if (!at(",")) return first;
  ExprPtr tuple = node(ExprKind::kTuple, first->pos);
  tuple->items.push_back(std::move(first));
  while (accept(",")) {
    if (keywords != nullptr && p_.ahead_.is(":=")) {
      keywords->push_back(keyword());
    } else {
      if (keywords != nullptr && !keywords->empty()) fail("an argument must not follow a keyword argument");
      tuple->items.push_back(lambda());
    }
  }
  return tuple->items.size() == 1 ? std::move(tuple->items[0]) : finish(std::move(tuple));
}

ExprPtr FormParser::lambda() {
  ExprPtr left = binary(1);
  if (!at("=>")) return left;
  const Nested nested(*this);
  ExprPtr result = node(ExprKind::kLambda, p_.token_.pos);
  result->source = p_.source_.number;
  result->pattern = to_pattern(*left);
  advance();
  result->items.push_back(lambda());
  return finish(std::move(result));
}

ExprPtr FormParser::binary(int level) {
  ExprPtr left = prefix();
  for (;;) {
    const Operator* op = p_.token_.kind == Tok::kQuoted ? nullptr : find_operator(p_.token_);
    if (op == nullptr || op->level < level) return left;
    const SourcePos pos = p_.token_.pos;
    advance();
    const Nested nested(*this);
    ExprPtr right = binary(op->right ? op->level : op->level + 1);
    left = call(std::string(op->name), pos, std::move(left), std::move(right));
  }
}

ExprPtr FormParser::prefix() {
  if (!at("-") && !at("#") && !at("@")) return postfix();
  const Nested nested(*this);
  const SourcePos pos = p_.token_.pos;
  if (at("-")) {
    advance();
    if (p_.token_.kind == Tok::kInt && p_.token_.int_value < 0) {
      ExprPtr least = node(ExprKind::kInt, pos);
      least->int_value = p_.token_.int_value;
      advance();
      return finish(std::move(least));
    }
    return call("negate", pos, prefix());
  }
  if (accept("#")) return call("#", pos, prefix());
  advance();
  return call("@", pos, prefix());
}

bool FormParser::starts_primary() const {
  const Token& token = p_.token_;
  switch (token.kind) {
    case Tok::kInt:
    case Tok::kFloat:
    case Tok::kChar:
    case Tok::kString:
    case Tok::kQuoted: return true;
    case Tok::kSymbol: return token.text == "{";
    case Tok::kName:
      return token.text != "then" && token.text != "else" && token.text != "in" && !find_operator(token);
    default: return false;
  }
}

ExprPtr FormParser::postfix() {
  ExprPtr left = primary();
  for (;;) {
    const SourcePos pos = p_.token_.pos;
    if (at("(")) {
      left = arguments(std::move(left));
    } else if (accept("[")) {
      const Nested nested(*this);
      ExprPtr index = exp();
      if (!at("]")) fail("expected a ] instead of " + shown() + " to terminate a sequence reference");
      advance();
      left = call("elt", pos, std::move(left), std::move(index));
    } else if (starts_primary()) {
      ExprPtr result = node(ExprKind::kCall, left->pos);
      result->items.push_back(std::move(left));
      result->items.push_back(primary());
      left = finish(std::move(result));
    } else {
      return left;
    }
  }
}

ExprPtr FormParser::arguments(ExprPtr function) {
  const Nested nested(*this);
  ExprPtr result = node(ExprKind::kCall, function->pos);
  result->items.push_back(std::move(function));
  advance();
  if (at(")")) fail("unexpected ): a function call needs an argument");
  result->items.push_back(exp(&result->keywords));
  if (!at(")")) fail("expected ) instead of " + shown() + " to terminate the arguments of a function");
  advance();
  return finish(std::move(result));
}

ExprPtr FormParser::primary() {
  const Nested nested(*this);
  const Token& token = p_.token_;
  ExprPtr result;
  switch (token.kind) {
    case Tok::kInt:
      if (token.int_value < 0) fail(p_.lexer_.not_an_int());
      result = node(ExprKind::kInt, token.pos);
      result->int_value = token.int_value;
      break;
    case Tok::kFloat:
      result = node(ExprKind::kFloat, token.pos);
      result->float_value = token.float_value;
      break;
    case Tok::kChar:
      result = node(ExprKind::kChar, token.pos);
      result->int_value = token.int_value;
      break;
    case Tok::kString:
      if (token.strange_escape.line != 0)
        fail_at(
            token.strange_escape,
            "no such escape: \\n is a newline, \\t a tab, \\r a return, \\0 the code 0, \\\" a quote, \\\\ a "
            "backslash");
      result = node(ExprKind::kString, token.pos);
      result->text = token.text;
      break;
    case Tok::kQuoted:
      result = name_node(token.text, token.pos,
                         find_operator(token) != nullptr || token.text == "#" || token.text == "@");
      break;
    case Tok::kName: return name_or_form();
    case Tok::kSymbol:
      if (at("(")) return paren();
      if (at("[")) return sequence();
      if (at("{")) return each();
      if (find_operator(token) != nullptr) fail(shown() + " is missing its left argument");
      fail("unexpected " + shown() + " where an expression was expected");
    default: fail("unexpected " + shown() + " where an expression was expected");
  }
  advance();
  return finish(std::move(result));
}

ExprPtr FormParser::name_or_form() {
  const Token& token = p_.token_;
  if (binds_reserved(token, p_.ahead_)) fail(reserved_word(token.text));
  if (token.text == "if") return if_exp();
  if (token.text == "let") return let_exp();
  if (token.text == "closure") return closure();
  if (token.text == "time") return timed();
  if (token.text == "pair") fail("PAIR is reserved: write a pair with a comma");
  if (find_operator(token) != nullptr) fail(shown() + " is missing its left argument");
  ExprPtr result;
  if (token.text == "t" || token.text == "f") {
    result = node(ExprKind::kBool, token.pos);
    result->int_value = token.text == "t" ? 1 : 0;
    if (written_small()) result->text = token.text;  // which a local variable may be called
  } else if (is_reserved(token.text)) {
    const bool form = token.text == "function" || token.text == "datatype";
    fail("unexpected " + shown() + " where an expression was expected" +
         (form ? "; is a ; missing in front of it?" : ""));
  } else {
    result = name_node(token.text, token.pos, false);
  }
  advance();
  return finish(std::move(result));
}

ExprPtr FormParser::paren() {
  std::vector<Keyword>* keywords = std::exchange(in_parentheses_, nullptr);
  advance();
  if (at(")")) fail("unexpected ) where an expression was expected");
  ExprPtr inner = exp(keywords);
  if (!at(")")) fail("expected ) instead of " + shown() + " to terminate a parenthesized expression");
  advance();
  return inner;
}

// [] T, [e1, e2, ...], [s:e] and [s:e:d].
ExprPtr FormParser::sequence() {
  const SourcePos pos = p_.token_.pos;
  advance();
  if (accept("]")) {
    ExprPtr empty = node(ExprKind::kEmpty, pos);
    const bool named =
        p_.token_.kind == Tok::kName && (!is_reserved(p_.token_.text) || at_word("t") || at_word("f"));
    if (named || at("[") || at("(")) empty->type_expr = std::make_unique<TypeExpr>(tight_type());
    return finish(std::move(empty));
  }
  ExprPtr first = lambda();
  if (accept(":")) {
    ExprPtr end = lambda();
    ExprPtr stride;
    if (accept(":")) stride = lambda();
    if (!at("]")) fail("expected a ] instead of " + shown() + " to terminate an integer sequence");
    advance();
    if (!stride) {
      stride = node(ExprKind::kInt, pos);
      stride->int_value = 1;
      stride = finish(std::move(stride));
    }
    return call("iseq", pos, std::move(first), std::move(stride), std::move(end));
  }
  ExprPtr result = node(ExprKind::kSeq, pos);
  result->items.push_back(std::move(first));
  while (accept(",")) result->items.push_back(lambda());
  if (!at("]")) fail("expected a ] instead of " + shown() + " to terminate a sequence");
  advance();
  return finish(std::move(result));
}

ExprPtr FormParser::if_exp() {
  ExprPtr result = node(ExprKind::kIf, p_.token_.pos);
  advance();
  result->items.push_back(exp());
  expect_word("then", "in an IF construct");
  result->items.push_back(exp());
  expect_word("else", "in an IF construct");
  result->items.push_back(exp());
  return finish(std::move(result));
}

ExprPtr FormParser::let_exp() {
  ExprPtr result = node(ExprKind::kLet, p_.token_.pos);
  advance();
  do {
    if (at_word("in") && !result->bindings.empty()) break;
    LetBinding binding;
    binding.pattern = pattern();
    expect("=", "after the pattern in a LET binding");
    binding.value = exp();
    result->bindings.push_back(std::move(binding));
  } while (accept(";"));
  if (!at_word("in"))
    fail("expected a ; or IN instead of " + shown() + " after a binding of a LET construct");
  advance();
  result->items.push_back(exp());
  return finish(std::move(result));
}

// { [*] [body :] generator { ; generator } [| sieve] }
ExprPtr FormParser::each() {
  ExprPtr result = node(ExprKind::kEach, p_.token_.pos);
  advance();
  const bool serial = accept("*");
  ExprPtr first = exp();
  if (accept(":")) {
    result->body = std::move(first);
    first = exp();
  }
  result->generators.push_back(generator_of(std::move(first)));
  while (accept(";")) result->generators.push_back(generator_of(exp()));
  if (accept("|")) result->sieve = exp();
  if (!at("}")) {
    const char* why = !result->body && at(":")   ? "; the body stands first, as in {x + 1 : x in v}"
                      : !p_.token_.is_word("in") ? ""
                      : result->sieve            ? "; the body is followed by a :"
                                                 : "; a ; separates generators";
    const std::string message = "expected a } instead of " + shown() + " to terminate an APPLY-TO-EACH";
    if (*why != '\0') fail_at(p_.token_.pos, message + why);
    fail(message);
  }
  advance();
  return serial && result->body ? one_by_one(std::move(result)) : finish(std::move(result));
}

// The expression that a pattern takes apart.
ExprPtr FormParser::pattern_value(Pattern& pattern) {
  check_stack();
  ExprPtr result;
  switch (pattern.kind) {
    case Pattern::Kind::kWildcard:
    case Pattern::Kind::kName: return finish(name_node(pattern.name, pattern.pos, false));
    case Pattern::Kind::kTuple:
      result = node(ExprKind::kTuple, pattern.pos);
      for (Pattern& item : pattern.items) result->items.push_back(pattern_value(item));
      return finish(std::move(result));
    case Pattern::Kind::kRecord:
      result = node(ExprKind::kCall, pattern.pos);
      result->items.push_back(name_node(pattern.name, pattern.pos, false));
      result->items.push_back(pattern_value(pattern.items[0]));
      return finish(std::move(result));
  }
  return result;
}

// {* body : p in s; q in u | c} is map((p, q) => body, {(p, q) : p in s; q in u | c}).
ExprPtr FormParser::one_by_one(ExprPtr each) {
  const SourcePos pos = each->pos;
  ExprPtr lambda = node(ExprKind::kLambda, pos);
  lambda->source = p_.source_.number;
  lambda->items.push_back(std::move(each->body));
  std::vector<ExprPtr> values;
  std::vector<Pattern> patterns;
  for (Generator& generator : each->generators) {
    values.push_back(pattern_value(generator.pattern));
    patterns.push_back(generator.pattern);
  }
  if (values.size() == 1) {
    each->body = std::move(values[0]);
    lambda->pattern = std::move(patterns[0]);
  } else {
    each->body = node(ExprKind::kTuple, pos);
    each->body->items = std::move(values);
    each->body = finish(std::move(each->body));
    lambda->pattern.kind = Pattern::Kind::kTuple;
    lambda->pattern.pos = pos;
    lambda->pattern.items = std::move(patterns);
  }
  return call("map", pos, finish(std::move(lambda)), finish(std::move(each)));
}

Generator FormParser::generator_of(ExprPtr first) {
  Generator result;
  const SourcePos pos = first->pos;
  if (at_word("in")) {
    result.pattern = to_pattern(*first);
    advance();
    result.source = exp();
    if (result.source->kind == ExprKind::kTuple && !at_word("in")) {
      const Expr& second = *result.source->items[1];
      fail_at(second.pos, "the source of an APPLY-TO-EACH is one sequence" + condition_hint(second));
    }
    return result;
  }
  if (!is_variable(*first)) {
    if (at("}") || at(";") || at("|"))
      fail_at(pos,
              "invalid binding in an APPLY-TO-EACH construct: write `pattern in sequence` or a variable" +
                  generator_hint(*first));
    fail("expected IN or } instead of " + shown() + " in an APPLY-TO-EACH");
  }
  result.pattern = to_pattern(*first);
  result.source = std::move(first);
  return result;
}

ExprPtr FormParser::closure() {
  ExprPtr result = node(ExprKind::kClosure, p_.token_.pos);
  advance();
  expect("(", "after CLOSURE");
  result->items.push_back(lambda());
  expect(",", "between the arguments of CLOSURE");
  result->items.push_back(exp());
  expect(")", "to end the arguments of CLOSURE");
  return finish(std::move(result));
}

ExprPtr FormParser::timed() {
  ExprPtr result = node(ExprKind::kTime, p_.token_.pos);
  advance();
  result->items.push_back(primary());
  return finish(std::move(result));
}

}  // namespace nvm::frontend
