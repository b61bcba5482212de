// The element types of [] without one.
#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/nesl/infer.h"

namespace nvm::frontend {
namespace {

// What functions take and give is not among what is known of a call.
bool known_of(const Type* variable, const Type* type) {
  check_budget();
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kFn) return false;
  return type == variable || std::any_of(type->args.begin(), type->args.end(),
                                         [&](const Type* arg) { return known_of(variable, arg); });
}

}  // namespace

const Type* Checker::infer_empty(Expr& exp) {
  if (exp.type_expr) return types_.seq(type_of(*exp.type_expr, own_variables_));
  empties_.push_back({exp.pos, types_.var(), !lambdas_.empty()});
  return types_.seq(empties_.back().element);
}

// A version of `function` (null: of no function) is made for the types of an argument and a result, which
// must tell the types of all []; nothing depends on a variable that occurs in neither, so it is INT.
void Checker::settle_empties(const Type* function) {
  for (const Empty& empty : empties_) {
    std::vector<const Type*> variables;
    variables_of(empty.element, variables);
    for (const Type* variable : variables) {
      variable = resolve(variable);
      if (variable->kind != TypeKind::kVar) continue;
      if (function == nullptr || !occurs(variable, function)) {
        unifier_.unify(variable, TypeArena::base(TypeKind::kInt));
      } else if (empty.elsewhere ||
                 !(known_of(variable, function->args[0]) || known_of(variable, function->args[1]))) {
        fail(empty.pos,
             "the type of the elements of [] cannot be known here; it stands behind, as in [] int");
      }
    }
  }
}

// A value has one type, unless it is a function: what it does not depend on is INT.
void Checker::settle_value(const Type* type) {
  check_budget();
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kVar) unifier_.unify(type, TypeArena::base(TypeKind::kInt));
  if (type->kind == TypeKind::kFn) return;
  for (std::size_t i = 0; i < shown_args(type); ++i) settle_value(type->args[i]);
}

}  // namespace nvm::frontend
