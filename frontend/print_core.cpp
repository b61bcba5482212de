#include "frontend/print_core.h"

#include "bytecode/base/stack.h"

#include <charconv>

namespace nvm::frontend::core {
namespace {

std::string print_float(double value) {
  char buffer[32];
  std::string out(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string print(const Expr& e) const {
    check_stack();
    switch (e.kind) {
      case ExprKind::kVar: return var(e.id);
      case ExprKind::kUnit: return "()";
      case ExprKind::kInt: return std::to_string(e.number);
      case ExprKind::kFloat: return print_float(e.real);
      case ExprKind::kBool: return e.number != 0 ? "t" : "f";
      case ExprKind::kChar: return "`" + std::string(1, static_cast<char>(e.number));
      case ExprKind::kString: return '"' + e.text + '"';
      case ExprKind::kEmpty: return "[]" + type_text(e.type->a);
      case ExprKind::kInput: return "input" + std::to_string(e.id);
      case ExprKind::kLet: return "let " + var(e.id) + " = " + kid(e, 0) + " in " + kid(e, 1);
      case ExprKind::kIf: return "(if " + kid(e, 0) + " then " + kid(e, 1) + " else " + kid(e, 2) + ")";
      case ExprKind::kCall: return name(e.id) + argument(*e.kids[0]);
      case ExprKind::kPrim: return prim_info(e.prim).name + argument(*e.kids[0]);
      case ExprKind::kPair: return argument(e);
      case ExprKind::kFirst: return kid(e, 0) + ".1";
      case ExprKind::kSecond: return kid(e, 0) + ".2";
      case ExprKind::kSeq: return "[" + list(e, 0, e.kids.size()) + "]";
      case ExprKind::kEach: return each(e);
      case ExprKind::kTime: return "time(" + kid(e, 0) + ")";
    }
    return "";
  }

  [[nodiscard]] std::string name(std::int32_t function) const {
    return program_.functions[static_cast<std::size_t>(function)].name + "#" + std::to_string(function);
  }
  static std::string var(std::int32_t variable) { return "v" + std::to_string(variable); }

 private:
  [[nodiscard]] std::string kid(const Expr& e, std::size_t i) const { return print(*e.kids[i]); }
  [[nodiscard]] std::string list(const Expr& e, std::size_t from, std::size_t to) const {
    std::string out;
    for (std::size_t i = from; i < to; ++i) out += (i == from ? "" : ", ") + kid(e, i);
    return out;
  }
  [[nodiscard]] std::string argument(const Expr& e) const {
    return e.kind == ExprKind::kPair ? "(" + list(e, 0, 2) + ")" : "(" + print(e) + ")";
  }
  [[nodiscard]] std::string each(const Expr& e) const {
    const std::size_t n = e.vars.size();
    std::string out = "{" + kid(e, n) + " : ";
    for (std::size_t i = 0; i < n; ++i) out += (i == 0 ? "" : "; ") + var(e.vars[i]) + " in " + kid(e, i);
    return out + (e.sieve ? " | " + kid(e, n + 1) : "") + "}";
  }

  const Program& program_;
};

}  // namespace

std::string print_core(const Program& program, const Expr& expr) { return Printer(program).print(expr); }

std::string print_core(const Program& program) {
  const Printer printer(program);
  std::string out;
  for (std::size_t i = 0; i < program.functions.size(); ++i) {
    const Function& function = program.functions[i];
    const auto& param = function.variables[static_cast<std::size_t>(function.param)];
    out += printer.name(static_cast<std::int32_t>(i)) + "(" + Printer::var(function.param) + ": " +
           type_text(param.type) + "): " + type_text(function.body->type) + " = " +
           printer.print(*function.body) + "\n";
  }
  return out;
}

}  // namespace nvm::frontend::core
