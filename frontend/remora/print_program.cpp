#include "frontend/remora/print_program.h"

#include <charconv>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "bytecode/base/utf8.h"
#include "frontend/remora/library.h"

namespace nvm::remora {

namespace {

class Writer {
 public:
  explicit Writer(const Program& program) : program_(program) {}

  std::string expression(const Expr& e) {
    check_stack();
    check_budget();
    switch (e.kind) {
      case ExprKind::kNumbers: return numbers(e);
      case ExprKind::kValue: return value(e.value).name;
      case ExprKind::kLibrary: return std::string(library()[static_cast<std::size_t>(e.library)].name);
      case ExprKind::kFrame: return frame(e);
      case ExprKind::kApply: return list("", e.kids);
      case ExprKind::kLambda: return "(fn (" + parameters(e) + ") " + expression(*e.kids[0]) + ")";
      case ExprKind::kTypeLambda: return bound("t-fn", e);
      case ExprKind::kIndexLambda: return bound("i-fn", e);
      case ExprKind::kInstantiate: return instance(e);
      case ExprKind::kLet: return let(e);
      case ExprKind::kIf: return list("if", e.kids);
      case ExprKind::kIfFunction: return "if";
      case ExprKind::kBoxes: return boxes(e);
      case ExprKind::kUnbox: return unbox(e);
      case ExprKind::kLift:
        return "(lift [" + name(e.bound[0]) + " " + expression(*e.kids[0]) + "] " + expression(*e.kids[1]) +
               ")";
      case ExprKind::kReshape: return "(reshape " + shape(e.indices[0]) + " " + expression(*e.kids[0]) + ")";
      case ExprKind::kReify:
        return (e.dimension ? "(reify-dimension " : "(reify-shape ") + index(e.indices[0]) + ")";
      case ExprKind::kRecord: return record(e);
      case ExprKind::kView: return "(view (" + names(e) + ") " + expression(*e.kids[0]) + ")";
      case ExprKind::kSet: return list("set (" + names(e) + ")", e.kids);
      case ExprKind::kOver: return list("over (" + names(e) + ")", e.kids);
    }
    return "";
  }

  std::string type(const Type& t) { return print(program_.variables.resolved(t), program_.variables); }

 private:
  [[nodiscard]] const Value& value(ValueId id) const { return program_.values[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const std::string& name(Var v) const { return program_.variables[v].name; }
  std::string shape(const Shape& s) { return print(program_.variables.resolved(s), program_.variables); }

  // A dimension, which is read as a shape of one axis where a shape is expected.
  std::string index(const Shape& s) {
    const Shape r = program_.variables.resolved(s);
    const bool dim = r.size() == 1 && r[0].shape == kNoVar;
    return dim ? print(r[0].dim, program_.variables) : shape(r);
  }

  std::string list(const std::string& head, const std::vector<ExprRef>& parts) {
    std::string out = head;
    for (const ExprRef& p : parts) out += (out.empty() ? "" : " ") + expression(*p);
    return "(" + out + ")";
  }

  static std::string real(double x) {
    char text[40];
    std::string out(text, std::to_chars(text, text + sizeof text, x).ptr);
    return out.find_first_of(".en") == std::string::npos ? out + ".0" : out;
  }

  std::string atom(const Expr& e, AtomKind kind, std::size_t k) {
    if (kind == AtomKind::kFloat) return real(e.reals[k]);
    const std::int64_t n = e.numbers[k];
    if (kind == AtomKind::kBool) return n != 0 ? "#t" : "#f";
    if (kind != AtomKind::kChar) return std::to_string(n);
    constexpr const char* kHex = "0123456789abcdef";
    std::string out;
    if (n > ' ' && n < 0x7f) return std::string("#\\") + static_cast<char>(n);
    for (std::int64_t rest = n; rest > 0 || out.empty(); rest /= 16) out.insert(out.begin(), kHex[rest % 16]);
    return "#\\x" + out;
  }

  std::string numbers(const Expr& e) {
    const Type t = program_.variables.resolved(e.type);
    const AtomKind kind = t.atom->kind;
    const std::size_t n = kind == AtomKind::kFloat ? e.reals.size() : e.numbers.size();
    if (t.shape.empty()) return atom(e, kind, 0);
    std::string out = "(array " + shape(t.shape);
    for (std::size_t k = 0; k < n; ++k) out += " " + atom(e, kind, k);
    return n > 0 ? out + ")" : out + " " + type({kNoVar, t.atom, {}}) + ")";
  }

  std::string frame(const Expr& e) {
    std::string counts;
    for (const std::int64_t n : e.counts) counts += (counts.empty() ? "" : " ") + std::to_string(n);
    if (!e.kids.empty()) return list("frame [" + counts + "]", e.kids);
    Type cell = program_.variables.resolved(e.type);
    cell.shape.erase(cell.shape.begin(), cell.shape.begin() + static_cast<std::ptrdiff_t>(e.counts.size()));
    return "(frame [" + counts + "] " + type(cell) + ")";
  }

  std::string parameters(const Expr& e) {
    std::string out;
    for (const ValueId v : e.parameters)
      out += (out.empty() ? "[" : " [") + value(v).name + " " + type(value(v).type) + "]";
    return out;
  }

  std::string bound(const std::string& word, const Expr& e) {
    std::string out = "(" + word + " (";
    for (std::size_t k = 0; k < e.bound.size(); ++k) out += (k > 0 ? " " : "") + name(e.bound[k]);
    return out + ") " + expression(*e.kids[0]) + ")";
  }

  // One layer around another: f{ | indices}{types | }, which is f{types | indices}.
  std::string instance(const Expr& e) {
    const bool inner = !e.types.empty() && e.kids[0]->kind == ExprKind::kInstantiate &&
                       e.kids[0]->types.empty() && !e.kids[0]->indices.empty();
    const Expr& with = inner ? *e.kids[0] : e;
    std::string types, indices;
    for (const Type& t : e.types) types += type(t) + " ";
    for (const Shape& s : with.indices) indices += " " + index(s);
    return expression(inner ? *with.kids[0] : *e.kids[0]) + "{" + types + "|" + indices + "}";
  }

  std::string let(const Expr& e) {
    std::string out = "(let (";
    for (std::size_t k = 0; k + 1 < e.kids.size(); ++k)
      out += (k > 0 ? " [" : "[") + value(e.parameters[k]).name + " " + expression(*e.kids[k]) + "]";
    return out + ") " + expression(*e.kids.back()) + ")";
  }

  std::string boxes(const Expr& e) {
    const Type t = program_.variables.resolved(e.type);
    std::string out = "(boxes (";
    for (std::size_t k = 0; k < t.atom->bound.size(); ++k) out += (k > 0 ? " " : "") + name(t.atom->bound[k]);
    out += ") " + type(t.atom->types[0]) + " " + shape(t.shape);
    const std::size_t n = t.atom->bound.size();
    for (std::size_t k = 0; k < e.kids.size(); ++k) {
      std::string witnesses;
      for (std::size_t i = 0; i < n; ++i) witnesses += (i > 0 ? " " : "") + index(e.indices[k * n + i]);
      out += " ((" + witnesses + ") " + expression(*e.kids[k]) + ")";
    }
    return out + ")";
  }

  std::string unbox(const Expr& e) {
    std::string out = "(unbox " + expression(*e.kids[0]) + " (" + value(e.parameters[0]).name;
    for (const Var v : e.bound) out += " " + name(v);
    return out + ") " + expression(*e.kids[1]) + ")";
  }

  std::string record(const Expr& e) {
    const Type t = program_.variables.resolved(e.type);
    std::string out = "{";
    for (std::size_t k = 0; k < e.kids.size(); ++k)
      out += (k > 0 ? " (" : "(") + t.atom->names[k] + " " + expression(*e.kids[k]) + ")";
    return out + "}";
  }

  static std::string names(const Expr& e) {
    std::string out;
    for (const std::string& n : e.names) out += (out.empty() ? "" : " ") + n;
    return out;
  }

  const Program& program_;
};

}  // namespace

std::string print(const Expr& e, const Program& program) { return Writer(program).expression(e); }

std::string print(const Form& form, const Program& program) {
  Writer writer(program);
  if (form.defines < 0) return writer.expression(*form.body);
  const std::string head = "(define " + program.values[static_cast<std::size_t>(form.defines)].name + " : " +
                           writer.type(type_of(program, form));
  return form.body == nullptr ? head + ")" : head + " " + writer.expression(*form.body) + ")";
}

}  // namespace nvm::remora
