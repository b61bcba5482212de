#include <cctype>
#include <charconv>

#include "bytecode/base/stack.h"
#include "frontend/nesl/lexer.h"
#include "frontend/nesl/parser.h"

namespace nvm::frontend {
namespace {

std::string print_type_expr(const TypeExpr& type) {
  check_stack();
  const auto list = [&](std::size_t from = 0) {
    std::string out;
    for (std::size_t i = from; i < type.items.size(); ++i)
      out += (i == from ? "" : ", ") + print_type_expr(type.items[i]);
    return out;
  };
  switch (type.kind) {
    case TypeExpr::Kind::kSeq: return "[" + list() + "]";
    case TypeExpr::Kind::kTuple: return "(" + list() + ")";
    case TypeExpr::Kind::kFn: return "(" + print_type_expr(type.items[0]) + " -> " + list(1) + ")";
    case TypeExpr::Kind::kName: break;
  }
  return type.items.empty() ? type.name : type.name + "(" + list() + ")";
}

std::string print_sig(const TypeSig& sig) {
  std::string out = print_type_expr(sig.type);
  for (std::size_t i = 0; i < sig.classes.size(); ++i)
    out += (i == 0 ? " :: (" : "; ") + sig.classes[i].variable + " in " + sig.classes[i].type_class;
  return sig.classes.empty() ? out : out + ")";
}

std::string print_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string print_float(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string out(buffer, end);
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

bool is_infix(const std::string& name) {
  return name.find_first_not_of("=/<>+-*^|") == std::string::npos || name == "and" || name == "or" ||
         name == "nor" || name == "nand" || name == "xor";
}

// Is it a name only behind a quote, being a symbol or a word of the language?
bool needs_quote(const std::string& name) {
  const auto first = static_cast<unsigned char>(name[0]);
  const bool letter = std::isalpha(first) != 0 || first == '_' || first == '~';
  return !letter || is_infix(name) || is_reserved(name);
}

std::string print_keywords(const std::vector<Keyword>& keywords) {
  std::string out;
  for (const Keyword& keyword : keywords) out += ", " + keyword.name + " := " + print_ast(*keyword.value);
  return out;
}

std::string print_items(const Expr& exp, std::size_t from = 0) {
  std::string out;
  for (std::size_t i = from; i < exp.items.size(); ++i)
    out += (i == from ? "" : ", ") + print_ast(*exp.items[i]);
  return out;
}

std::string print_call(const Expr& exp) {
  const Expr& fn = *exp.items[0];
  const Expr& arg = *exp.items[1];
  const bool pair = arg.kind == ExprKind::kTuple && arg.items.size() == 2;
  if (fn.kind == ExprKind::kName && fn.builtin) {
    if (fn.text == "negate") return "(-" + print_ast(arg) + ")";
    if (fn.text == "#" || fn.text == "@") return "(" + fn.text + print_ast(arg) + ")";
    if (fn.text == "elt" && pair) return print_ast(*arg.items[0]) + "[" + print_ast(*arg.items[1]) + "]";
    if (fn.text == "iseq" && arg.items.size() == 3)
      return "[" + print_ast(*arg.items[0]) + ":" + print_ast(*arg.items[2]) + ":" +
             print_ast(*arg.items[1]) + "]";
    if (pair && is_infix(fn.text))
      return "(" + print_ast(*arg.items[0]) + " " + fn.text + " " + print_ast(*arg.items[1]) + ")";
  }
  const std::string inner = arg.kind == ExprKind::kTuple ? print_items(arg) : print_ast(arg);
  return print_ast(fn) + "(" + inner + print_keywords(exp.keywords) + ")";
}

std::string print_let(const Expr& exp) {
  std::string out = "(let ";
  for (std::size_t i = 0; i < exp.bindings.size(); ++i)
    out += (i == 0 ? "" : "; ") + print_pattern(exp.bindings[i].pattern) + " = " +
           print_ast(*exp.bindings[i].value);
  return out + " in " + print_ast(*exp.items[0]) + ")";
}

std::string print_each(const Expr& exp) {
  std::string out = "{";
  if (exp.body) out += print_ast(*exp.body) + " : ";
  for (std::size_t i = 0; i < exp.generators.size(); ++i)
    out += (i == 0 ? "" : "; ") + print_pattern(exp.generators[i].pattern) + " in " +
           print_ast(*exp.generators[i].source);
  if (exp.sieve) out += " | " + print_ast(*exp.sieve);
  return out + "}";
}

}  // namespace

std::string print_pattern(const Pattern& pattern) {
  check_stack();
  switch (pattern.kind) {
    case Pattern::Kind::kName: return pattern.name;
    case Pattern::Kind::kWildcard: return "_";
    case Pattern::Kind::kRecord: {
      const std::string inner = print_pattern(pattern.items[0]);
      return pattern.name + (inner[0] == '(' ? inner : "(" + inner + ")");
    }
    case Pattern::Kind::kTuple: break;
  }
  std::string out = "(";
  const std::size_t last = pattern.items.size() - 1;
  for (std::size_t i = 0; i < last; ++i) out += print_pattern(pattern.items[i]) + ", ";
  const Pattern& rest = pattern.items[last];  // tuples nest to the right
  return out +
         (rest.kind == Pattern::Kind::kTuple ? print_pattern(rest).substr(1) : print_pattern(rest) + ")");
}

std::string print_ast(const Expr& exp) {
  check_stack();
  switch (exp.kind) {
    case ExprKind::kInt: return std::to_string(exp.int_value);
    case ExprKind::kFloat: return print_float(exp.float_value);
    case ExprKind::kBool: return !exp.text.empty() ? exp.text : exp.int_value != 0 ? "T" : "F";
    case ExprKind::kChar: return std::string("`") + static_cast<char>(exp.int_value);
    case ExprKind::kString: return print_string(exp.text);
    case ExprKind::kName: {
      const bool local = exp.type != nullptr && exp.global == nullptr;  // which may be called t or f
      return needs_quote(exp.text) && !local ? "'" + exp.text : exp.text;
    }
    case ExprKind::kTuple: return "(" + print_items(exp) + ")";
    case ExprKind::kSeq: return "[" + print_items(exp) + "]";
    case ExprKind::kEmpty: return exp.type_expr ? "[] " + print_type_expr(*exp.type_expr) : "[]";
    case ExprKind::kCall: return print_call(exp);
    case ExprKind::kIf:
      return "(if " + print_ast(*exp.items[0]) + " then " + print_ast(*exp.items[1]) + " else " +
             print_ast(*exp.items[2]) + ")";
    case ExprKind::kLet: return print_let(exp);
    case ExprKind::kEach: return print_each(exp);
    case ExprKind::kLambda: return "(" + print_pattern(exp.pattern) + " => " + print_ast(*exp.items[0]) + ")";
    case ExprKind::kClosure: return "closure(" + print_items(exp) + ")";
    case ExprKind::kDefault: return print_ast(*exp.target);
    case ExprKind::kTime: return "time(" + print_items(exp) + ")";
  }
  return "";
}

std::string print_ast(const Form& form) {
  check_stack();
  std::string out;
  switch (form.kind) {
    case FormKind::kFunction:
    case FormKind::kForward:
      out = "function " + form.name + " " + print_pattern(form.pattern);
      if (form.sig) out += " : " + print_sig(*form.sig);
      if (!form.doc.empty()) out += " " + print_string(form.doc);
      return form.exp ? out + " = " + print_ast(*form.exp) : out;
    case FormKind::kDatatype: return "datatype " + form.name + " " + print_sig(*form.sig);
    case FormKind::kBind: return print_pattern(form.pattern) + " = " + print_ast(*form.exp);
    case FormKind::kFileBind: return print_pattern(form.pattern) + " |= " + print_ast(*form.exp);
    case FormKind::kBackground:
      return form.name + " &= " + print_ast(*form.exp) + print_keywords(form.keywords);
    case FormKind::kDefconfig: return "defconfig " + form.name + print_keywords(form.keywords);
    case FormKind::kExpr: return print_ast(*form.exp);
    case FormKind::kCommand: break;
  }
  out = form.name;
  for (const Word& word : form.words) out += " " + (word.is_string ? print_string(word.text) : word.text);
  if (form.exp) out += " " + print_ast(*form.exp);
  return out + print_keywords(form.keywords);
}

}  // namespace nvm::frontend
