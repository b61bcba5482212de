#include "bytecode/base/ascii.h"
#include "vm/lib/nesl_session.h"

#include "bytecode/base/stack.h"

namespace nvm::vm {

namespace {

using frontend::Expr;
using frontend::ExprKind;
using frontend::Form;
using frontend::LetBinding;
using frontend::Pattern;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Writes the bindings of a let that do what the function does and say so.
class Instrumenter {
 public:
  Instrumenter(const Form& function, int trace, bool profile)
      : function_(function), trace_(trace), profile_(profile) {}

  std::string run() {
    const std::string name = upper(function_.name);
    if (trace_ > 0) say(quoted("Entering " + name));
    if (trace_ == 2 || trace_ == 4) say_pattern(function_.pattern);
    const Expr* body = function_.exp.get();
    if (body->kind == ExprKind::kLet) {
      for (const LetBinding& b : body->bindings) binding(b);
      body = body->items[0].get();
    }
    bind("nvm_result", frontend::print_ast(*body));
    if (trace_ == 2 || trace_ == 4) say_value("RESULT", "nvm_result");
    if (trace_ > 0) say(quoted("Leaving " + name));
    return "function " + function_.name + " (" + frontend::print_pattern(function_.pattern) + ") = let " +
           bindings_ + " in nvm_result;";
  }

 private:
  void add(const std::string& pattern, const std::string& value) {
    bindings_ += (bindings_.empty() ? "" : "; ") + pattern + " = (" + value + ")";
  }
  void say(const std::string& text) { add("nvm_said", "print_line(" + text + ")"); }
  void say_value(const std::string& label, const std::string& name) {
    say(quoted("  " + label + " = ") + " ++ abrev_string(" + name + ")");
  }

  void say_pattern(const Pattern& pattern) {
    check_stack();
    if (pattern.kind == Pattern::Kind::kName) say_value(upper(pattern.name), pattern.name);
    for (const Pattern& item : pattern.items) say_pattern(item);
  }

  void bind(const std::string& pattern, const std::string& code) {
    if (!profile_) return add(pattern, code);
    add("(nvm_value, nvm_seconds)", "time(" + code + ")");
    say("exp_string(nvm_seconds, 4) ++ " + quoted(" seconds for expression: \n      " + code));
    add(pattern, "nvm_value");
  }

  void binding(const LetBinding& b) {
    bind(frontend::print_pattern(b.pattern), frontend::print_ast(*b.value));
    if (trace_ == 3) say(quoted("  " + upper(frontend::print_pattern(b.pattern))));
    if (trace_ == 4) say_pattern(b.pattern);
  }

  const Form& function_;
  int trace_;
  bool profile_;
  std::string bindings_;
};

}  // namespace

std::string instrumented_text(const Form& function, int trace, bool profile) {
  if (trace == 0 && !profile) return function.text + ";";
  return Instrumenter(function, trace, profile).run();
}

}  // namespace nvm::vm
