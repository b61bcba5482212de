#include "bytecode/base/budget.h"
#include "frontend/nesl/types.h"

#include "bytecode/base/stack.h"

namespace nvm::frontend {
namespace {

// The one type in both classes, neither of which is within the other; null if there are more, or none.
const Type* only_type(TypeClass a, TypeClass b) {
  const Type* found = nullptr;
  for (const TypeKind kind : {TypeKind::kInt, TypeKind::kFloat, TypeKind::kBool, TypeKind::kChar}) {
    if (!belongs(kind, a) || !belongs(kind, b)) continue;
    if (found != nullptr) return nullptr;
    found = TypeArena::base(kind);
  }
  return found;
}

}  // namespace

bool Unifier::unify(const Type* a, const Type* b) {
  trail_.clear();
  if (merge(a, b)) return true;
  for (const Type* var : trail_) var->link = nullptr;
  return false;
}

bool Unifier::bind(const Type* var, const Type* to) {
  var->link = to;
  trail_.push_back(var);
  return true;
}

bool Unifier::merge(const Type* a, const Type* b) {
  check_budget();
  check_stack();
  a = resolve(a);
  b = resolve(b);
  if (a == b) return true;
  if (a->kind == TypeKind::kVar && b->kind == TypeKind::kVar) return merge_vars(a, b);
  if (a->kind == TypeKind::kVar) return merge_var(a, b);
  if (b->kind == TypeKind::kVar) return merge_var(b, a);
  if (a->kind != b->kind || a->datatype != b->datatype || a->binding != b->binding ||
      a->lambda != b->lambda || a->args.size() != b->args.size())
    return false;
  for (std::size_t i = 0; i < a->args.size(); ++i)
    if (!merge(a->args[i], b->args[i])) return false;
  return true;
}

bool Unifier::merge_vars(const Type* a, const Type* b) {
  if (a->rigid && b->rigid) return false;
  if (a->rigid || (!b->rigid && class_within(a->type_class, b->type_class)))
    return class_within(a->type_class, b->type_class) && bind(b, a);
  if (class_within(b->type_class, a->type_class)) return bind(a, b);
  // What is in both classes may be one type, and then it is that.
  const Type* both = a->rigid || b->rigid ? nullptr : only_type(a->type_class, b->type_class);
  return both != nullptr && bind(a, both) && bind(b, both);
}

bool Unifier::merge_var(const Type* var, const Type* other) {
  return !var->rigid && belongs(other->kind, var->type_class) && !occurs(var, other) && bind(var, other);
}

}  // namespace nvm::frontend
