// What the checker says of names and arguments that do not fit: which one, and what would.
#include <algorithm>
#include <cctype>

#include "bytecode/base/ascii.h"
#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "bytecode/base/suggest.h"
#include "frontend/nesl/infer.h"
#include "frontend/nesl/modules.h"
#include "frontend/nesl/parser.h"

namespace nvm::frontend {
namespace {

// The components of a type of nested pairs, the last of which may be a pair itself.
std::size_t width(const Type* type) {
  std::size_t n = 1;
  for (type = resolve(type); type->kind == TypeKind::kPair; type = resolve(type->args[1])) ++n;
  return n;
}

// Where two types that do not unify differ: inside both if they are built alike.
struct Clash {
  const Type* expected;
  const Type* given;
};
Clash innermost(const Type* expected, const Type* given) {
  expected = resolve(expected), given = resolve(given);
  while (expected->kind == TypeKind::kSeq && given->kind == TypeKind::kSeq)
    expected = resolve(expected->args[0]), given = resolve(given->args[0]);
  return {expected, given};
}

std::string describe(const Type* expected, const Type* given) {
  const Clash clash = innermost(expected, given);
  const bool lacks_class = clash.expected->kind == TypeKind::kVar && clash.given->kind != TypeKind::kVar &&
                           !belongs(clash.given->kind, clash.expected->type_class);
  if (lacks_class)
    return print_type(clash.given) + " is not in the class " + class_name(clash.expected->type_class);
  if (clash.given->kind == TypeKind::kVar && clash.expected->kind == TypeKind::kVar) {
    const std::string wanted = class_name(clash.expected->type_class);
    if (clash.given->rigid && clash.expected->rigid)
      return "by the signature each of these types may be another one";
    if (clash.given->rigid) return "a is not known to be in the class " + wanted;
    return std::string("no type is in the classes ") + class_name(clash.given->type_class) + " and " + wanted;
  }
  if (clash.given->kind == TypeKind::kFn && clash.expected->kind == TypeKind::kFn)
    return "it is another function";
  TypePrinter printer;
  const std::string is = printer.print(given), wanted = printer.print(expected);
  return is == wanted ? "" : "it is " + is + ", not " + wanted;
}

// What would do what the call seems to want, "" if nothing is known.
std::string remedy(const std::string& name, const Type* given) {
  given = resolve(given);
  const bool arithmetic = name == "+" || name == "-" || name == "*" || name == "/";
  const Type* first = given->kind == TypeKind::kPair ? resolve(given->args[0]) : given;
  if (arithmetic && first->kind == TypeKind::kSeq) return "; an APPLY-TO-EACH does it with every element";
  return "";
}

struct Meant {
  std::string_view word;
  const char* hint;
};
// What other languages have.
constexpr Meant kMeant[] = {
    {"true", ": the truth values are t and f"},
    {"false", ": the truth values are t and f"},
    {"return", ": the value of a function is its expression"},
    {"for", ": what is done for each element is an APPLY-TO-EACH, {body : pattern in sequence}"},
    {"while", ": a loop is a function that calls itself"},
    {"do", ": a loop is an APPLY-TO-EACH, or a function that calls itself"},
    {"len", ": the length of v is #v"},
    {"size", ": the length of v is #v"},
    {"range", ": the integers from s up to e are [s:e]"},
    {"def", ": a function is defined as in function name(x) = x + 1"},
    {"string", ": the type of strings is [char]"},
    {"int",
     ": it is a type, which only signatures and datatypes name; round, trunc, floor and ceil make an int "
     "of a float"},
    {"bool", ": it is a type, which only signatures and datatypes name"},
    {"char", ": it is a type, which only signatures and datatypes name"},
    {"import", ": a module is made known by import \"FILE\";"},
    {"include", ": load \"FILE\"; reads the definitions of a file"},
    {"struct", ": a record is declared as in datatype point(float, float)"},
    {"str", ": the text of v is @v"},
    {"concat", ": v ++ w joins two sequences, flatten the elements of a sequence of them"},
    {"null", ": every value has a type, and none is missing"},
};

}  // namespace

std::string counted(std::size_t n) { return std::to_string(n) + (n == 1 ? " argument" : " arguments"); }

std::string excerpt(const Expr& exp) {
  constexpr std::size_t kLongest = 60;
  if (exp.depth > 12) return "...";
  std::string text = print_ast(exp);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.size() <= kLongest ? text : text.substr(0, kLongest - 3) + "...";
}

namespace {

bool in_name(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Whether a text has `function NAME` behind a place, in any case of letters.
bool defined_behind(std::string text, SourcePos place, const std::string& name) {
  const std::string word = "FUNCTION", wanted = upper(name);
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < place.line && at != std::string::npos; ++line)
    at = text.find('\n', at + 1);
  text = upper(std::move(text));
  while ((at = text.find(word, at)) != std::string::npos) {
    at = std::min(text.find_first_not_of(" \t\r\n", at + word.size()), text.size());
    const std::size_t end = at + name.size();
    if (text.compare(at, name.size(), wanted) == 0 && (end >= text.size() || !in_name(text[end])))
      return true;
  }
  return false;
}

}  // namespace

void Checker::undefined(const Expr& name) {
  const Unknown unknown = Modules(env_).unknown(name.text, diagnostics_);
  if (unknown.reported) throw Failure{};
  if (!unknown.why.empty()) fail(name.pos, unknown.why);
  std::string message = upper(name.text) + " is undefined";
  if (diagnostics_.full()) fail(name.pos, message);
  for (const Meant& meant : kMeant)
    if (name.text == meant.word) fail(name.pos, message + meant.hint);
  if (defined_behind(std::string(env_.text()), name.pos, name.text))
    fail(name.pos, message + " here: its definition comes later, and a line such as function " + name.text +
                       "(x) : int -> int; declares it");
  std::vector<std::string> names = env_.names();
  for (const Variable& variable : scope_) names.push_back(variable.name);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  if (const std::string_view near = nearest_name(name.text, candidates); !near.empty())
    message += ": did you mean " + std::string(near) + "?";
  fail(name.pos, message);
}

namespace {

void collect_records(const Type* type, std::vector<const Datatype*>& into) {
  check_budget();
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kRecord) into.push_back(type->datatype);
  for (std::size_t i = 0; i < shown_args(type); ++i) collect_records(type->args[i], into);
}

}  // namespace

std::string redefined(const Type* expected, const Type* given) {
  std::vector<const Datatype*> left, right;
  collect_records(expected, left);
  collect_records(given, right);
  for (const Datatype* a : left)
    for (const Datatype* b : right)
      if (a != b && a->name == b->name)
        return "; " + upper(a->name) + " is defined twice, and one of them is of the earlier definition";
  return "";
}

std::string Checker::conversion(const Type* expected, const Type* given) {
  if (std::string twice = redefined(expected, given); !twice.empty()) return twice;
  const Clash clash = innermost(expected, given);
  const TypeKind want = clash.expected->kind, have = clash.given->kind;
  if (want == TypeKind::kFloat && have == TypeKind::kInt) return "; float makes a float of an int";
  if (want == TypeKind::kInt && have == TypeKind::kFloat)
    return "; float makes a float of an int, round an int of a float";
  const auto is_string = [](const Type* type) {
    return type->kind == TypeKind::kSeq && resolve(type->args[0])->kind == TypeKind::kChar;
  };
  if (want == TypeKind::kChar && is_string(clash.given)) return "; a character is written `a";
  if (have == TypeKind::kChar && is_string(clash.expected)) return "; a string is written \"a\"";
  return "";
}

void Checker::unknown_record(const Pattern& pattern) {
  const Unknown unknown = Modules(env_).unknown(pattern.name, diagnostics_);
  if (unknown.reported) throw Failure{};
  if (!unknown.why.empty()) fail(pattern.pos, unknown.why);
  std::string message = "record type " + upper(pattern.name) + " is undefined";
  if (parameters_)
    message += "; a record is declared as in datatype " + pattern.name + "(float, float)";
  else if (env_.find(pattern.name, from_prelude_) == nullptr && prefix_of(pattern.name).empty())
    message +=
        "; a function is defined as in function name(x) = x + 1, or within an expression as in name = x "
        "=> x + 1";
  fail(pattern.pos, message);
}

bool Checker::knows_record(const Pattern& pattern) try {
  if (env_.find(pattern.name, from_prelude_) == nullptr) unknown_record(pattern);
  return true;
} catch (const Failure&) {
  return false;
}

// What stands behind a value is its argument, so a missing ; or an infix name makes a call of it.
void Checker::not_a_function(const Expr& call, const Type* function, const Type* argument) {
  const Expr &value = *call.items[0], &behind = *call.items[1];
  if (value.kind == ExprKind::kBool && diagnostics_.blamed(value.int_value != 0 ? "t" : "f"))
    throw Failure{};  // a function of that name was refused
  std::string message = "in the call " + excerpt(call) + ", " + excerpt(value) +
                        " is not a function: it is of type " + print_type(function);
  if (value.kind == ExprKind::kBool)
    message += value.int_value != 0 ? "; t is the boolean true, and no name"
                                    : "; f is the boolean false, and no name";
  else if (behind.pos.line > value.pos.line)
    message += "; is a ; missing in front of " + excerpt(behind) + "?";
  else if (behind.kind == ExprKind::kName && resolve(argument)->kind == TypeKind::kFn)
    message += "; " + behind.text + " is one, written " + behind.text + "(...)";
  else if (resolve(function)->kind == TypeKind::kSeq)
    message += "; an element is written " + (value.kind == ExprKind::kName ? value.text : "v") + "[i]";
  fail(value.pos, message);
}

void Checker::mismatch(const Expr& call, const std::string& name, const Type* expected, const Type* given) {
  std::string message = "argument types do not match the function " + name + " in " + excerpt(call) +
                        ": given " + print_type(given) + ", expected " + print_type(expected);
  const Expr& argument = *call.items[1];
  const bool pair = resolve(given)->kind == TypeKind::kPair;
  if (name == "elt" && call.items[0]->builtin && pair &&
      resolve(resolve(given)->args[0])->kind == TypeKind::kFn) {
    const std::string function = excerpt(*argument.items[0]);
    fail(call.pos, function +
                       " is a function, and [ ] takes an element out of a sequence; a call is written " +
                       function + "(...)");
  }
  if (name == "elt" && call.items[0]->builtin && argument.items.size() == 2 &&
      argument.items[1]->kind == ExprKind::kTuple)
    fail(argument.items[1]->pos,
         "one index stands between [ and ]; an element of an element is written v[i][j]");
  const std::size_t wanted = width(expected);
  if (argument.kind != ExprKind::kTuple || wanted == 1) {
    const std::size_t n = argument.kind == ExprKind::kTuple ? argument.items.size() : width(given);
    if (n != wanted && resolve(expected)->kind != TypeKind::kVar)
      message +=
          "; " + counted(n) + (n == 1 ? " is" : " are") + " given, " + std::to_string(wanted) + " expected";
    else if (const std::string why = describe(expected, given); !why.empty())
      message += "; " + why + conversion(expected, given);
    fail(call.pos, message);
  }
  const std::size_t n = argument.items.size();
  if (n < wanted || (n > wanted && width(given) > wanted))
    fail(call.pos, message + "; " + counted(n) + " are given, " + std::to_string(wanted) + " expected");
  for (std::size_t i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    expected = resolve(expected), given = resolve(given);
    const Type* want = last ? expected : expected->args[0];
    const Type* have = last ? given : given->args[0];
    if (!unifier_.unify(have, want)) {
      const std::string why = describe(want, have);
      const bool of_each = resolve(have)->kind == TypeKind::kSeq && name != "==" && name != "/=" &&
                           describe(want, resolve(have)->args[0]).empty();
      const std::string hint = of_each || why.find("not in the class") != std::string::npos
                                   ? remedy(name, have)
                                   : conversion(want, have);
      fail(argument.items[i]->pos,
           message + "; argument " + std::to_string(i + 1) + (why.empty() ? "" : ": " + why) + hint);
    }
    if (!last) expected = expected->args[1], given = given->args[1];
  }
  fail(call.pos, message);
}

}  // namespace nvm::frontend
