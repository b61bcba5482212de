#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/nesl/types.h"

namespace nvm::frontend {
namespace {

// Where a type stands: alone or last in a tuple, before a comma or inside [], left or right of an arrow.
enum Place : int { kOuter, kInner, kLeft, kRight };

}  // namespace

// The variables in order of appearance; identities are not shown.
void TypePrinter::collect(const Type* type) {
  check_budget();
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kVar && std::find(vars_.begin(), vars_.end(), type) == vars_.end())
    vars_.push_back(type);
  for (std::size_t i = 0; i < shown_args(type); ++i) collect(type->args[i]);
}

std::string TypePrinter::name_of(const Type* var) const {
  const auto index = static_cast<std::size_t>(std::find(vars_.begin(), vars_.end(), var) - vars_.begin());
  if (vars_.size() > 5) return "a" + std::to_string(index);
  return std::string(1, static_cast<char>('a' + index));
}

std::string TypePrinter::print(const Type* type) {
  collect(type);
  std::string out;
  print_into(out, type, kOuter);
  return out;
}

void TypePrinter::print_into(std::string& out, const Type* type, int place) {
  check_stack();
  type = resolve(type);
  switch (type->kind) {
    case TypeKind::kInt: out += "int"; return;
    case TypeKind::kFloat: out += "float"; return;
    case TypeKind::kBool: out += "bool"; return;
    case TypeKind::kChar: out += "char"; return;
    case TypeKind::kVar: out += name_of(type); return;
    case TypeKind::kIdentity: out += "identity"; return;
    case TypeKind::kSeq:
      out += '[';
      print_into(out, type->args[0], kInner);
      out += ']';
      return;
    case TypeKind::kPair:
      if (place != kOuter) out += '(';
      print_into(out, type->args[0], kInner);
      out += ", ";
      print_into(out, type->args[1], kOuter);
      if (place != kOuter) out += ')';
      return;
    case TypeKind::kFn:
      if (place == kLeft) out += '(';
      print_into(out, type->args[0], kLeft);
      out += " -> ";
      print_into(out, type->args[1], kRight);
      if (place == kLeft) out += ')';
      return;
    case TypeKind::kRecord:
      out += type->datatype->name;
      for (std::size_t i = 0; i < shown_args(type); ++i) {
        out += i == 0 ? "(" : ", ";
        print_into(out, type->args[i], kInner);
      }
      if (shown_args(type) > 0) out += ')';
      return;
  }
}

std::string TypePrinter::context() const {
  std::string out;
  for (const Type* var : vars_)
    out += (out.empty() ? " :: (" : "; ") + name_of(var) + " in " + class_name(resolve(var)->type_class);
  return out.empty() ? out : out + ")";
}

std::string print_type(const Type* type) {
  TypePrinter printer;
  std::string text = printer.print(type);
  return text + printer.context();
}

}  // namespace nvm::frontend
