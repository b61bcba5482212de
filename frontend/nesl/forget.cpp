// Which of the user's bindings a later form can still reach: those that names mean, and what their
// definitions mean. Counted by definition; definitions that use each other do so by a declaration, which does
// not count its definition, so that there is no cycle.
#include <algorithm>
#include <new>

#include "bytecode/base/stack.h"
#include "frontend/nesl/environment.h"

namespace nvm::frontend {
namespace {

using Found = std::vector<Binding*>;

void add(const Binding* binding, Found& found) {
  auto* const user = const_cast<Binding*>(binding);
  if (user == nullptr || user->builtin) return;
  if (std::find(found.begin(), found.end(), user) == found.end()) found.push_back(user);
}

void collect(const Pattern& pattern, Found& found) {
  check_stack();
  add(pattern.record, found);
  for (const Pattern& item : pattern.items) collect(item, found);
}

void collect(const Expr& exp, Found& found) {
  check_stack();
  add(exp.global, found);
  collect(exp.pattern, found);
  for (const ExprPtr& item : exp.items) collect(*item, found);
  for (const Keyword& keyword : exp.keywords) collect(*keyword.value, found);
  for (const LetBinding& binding : exp.bindings) {
    collect(binding.pattern, found);
    collect(*binding.value, found);
  }
  for (const Generator& generator : exp.generators) {
    collect(generator.pattern, found);
    if (generator.source) collect(*generator.source, found);
  }
  if (exp.body) collect(*exp.body, found);
  if (exp.sieve) collect(*exp.sieve, found);
}

// The functions that a type names. A lambda belongs to a form that escapes.
void collect(const Type* type, Found& found) {
  check_stack();
  type = resolve(type);
  add(type->binding, found);
  if (type->lambda != nullptr) collect(*type->lambda, found);
  for (const Type* arg : type->args) collect(arg, found);
}

bool contains_lambda(const Type* type) {
  check_stack();
  type = resolve(type);
  return type->lambda != nullptr || std::any_of(type->args.begin(), type->args.end(), contains_lambda);
}

void set_traits(Binding& binding) {
  const Type* type = resolve(binding.type);
  if (binding.kind == BindingKind::kFunction && type->kind == TypeKind::kFn) {
    binding.escapes = contains_function(type->args[1]);  // the tree of such a function is in this form
    binding.plain = !binding.escapes && !contains_function(type->args[0]);
  } else {
    binding.escapes = contains_lambda(type);
    binding.plain = !contains_function(type);
  }
}

}  // namespace

void Environment::note_uses(Binding& binding, const Form& form) {
  Found found;
  if (form.exp) collect(*form.exp, found);
  collect(form.pattern, found);
  for (const Keyword& value : form.defaults) collect(*value.value, found);
  if (binding.kind == BindingKind::kVariable) collect(binding.type, found);
  std::erase(found, &binding);
  binding.uses = std::move(found);
  for (Binding* used : binding.uses) ++used->users;
  set_traits(binding);
}

void Environment::discard(Binding* binding) {
  binding->superseded = true;
  try {
    superseded_.insert(binding->order);
  } catch (const std::bad_alloc&) {  // it stays until the session ends; who withdraws may be a destructor
  }
}

Environment::Reachable Environment::reachable() const {
  Reachable found;
  std::vector<const Binding*> open;
  const auto reach = [&](const Binding* binding) {
    binding = current(binding);
    if (!binding->builtin && found.insert(binding).second) open.push_back(binding);
  };
  for (const auto& [name, binding] : names_.values) reach(binding);
  for (const Names& names : outer_)
    for (const auto& [name, binding] : names.values) reach(binding);
  for (const auto& [file, names] : modules_)
    for (const auto& [name, binding] : names.values) reach(binding);
  for (const auto& [name, binding] : builtin_) reach(binding);  // a setting may have been replaced
  while (!open.empty()) {
    const Binding* const binding = open.back();
    open.pop_back();
    for (const Binding* used : binding->uses) reach(used);
  }
  return found;
}

void Environment::drop_uses(Binding& binding) {
  for (Binding* used : binding.uses)
    if (--used->users == 0 && used->superseded) superseded_.insert(used->order);
  binding.uses.clear();
}

void Environment::release(Binding* binding, Forgotten& forgotten) {
  if (!binding->superseded || binding->builtin || binding->kind == BindingKind::kConstructor) return;
  const bool variable = binding->kind == BindingKind::kVariable;
  const bool unused = binding->users == 0 && binding->replaces.empty();
  if (variable && (binding->replaced_by != nullptr || unused))
    forgotten.variables.push_back(binding->variable);
  // Of a definition that has been replaced, nobody asks for more than by which; or for its defaults.
  const bool plain = binding->plain && (!binding->form || binding->form->defaults.empty());
  if (binding->replaced_by != nullptr && plain) drop_uses(*binding);
  if (binding->users > 0 || binding->escapes) return;
  if (!binding->replaces.empty() && binding->replaced_by == nullptr) return;
  for (Binding* earlier : binding->replaces) {
    earlier->replaced_by = binding->replaced_by;
    binding->replaced_by->replaces.push_back(earlier);
  }
  if (Binding* const later = binding->replaced_by) {
    std::erase(later->replaces, binding);
    if (later->superseded) superseded_.insert(later->order);
  }
  drop_uses(*binding);
  if (!variable && binding->form) forgotten.forms.push_back(binding->form);
  bindings_.erase(binding->order);
}

Binding* Environment::defined(const std::string& name) const {
  const auto found = names_.values.find(name);
  return found == names_.values.end() ? nullptr : found->second;
}

void Environment::start_over(const std::vector<Binding*>& kept) {
  names_ = {};
  modules_.clear();
  locked_.clear();
  superseded_.clear();
  Reachable reached;
  std::vector<const Binding*> open;
  const auto reach = [&](const Binding* binding) {
    if (binding != nullptr && !binding->builtin && reached.insert(binding).second) open.push_back(binding);
  };
  for (Binding* binding : kept) binding->replaced_by = nullptr;
  for (const Binding* binding : kept) reach(binding);
  while (!open.empty()) {
    const Binding* const binding = open.back();
    open.pop_back();
    reach(binding->replaced_by);
    for (const Binding* used : binding->uses) reach(used);
  }
  for (auto it = bindings_.begin(); it != bindings_.end();) {
    Binding& binding = it->second;
    binding.replaces.clear();
    binding.superseded = false;
    if (binding.builtin) binding.replaced_by = nullptr;  // a setting
    it = binding.builtin || reached.contains(&binding) ? std::next(it) : bindings_.erase(it);
  }
}

bool Environment::redefine(Binding& binding, Binding& newer) {
  const auto simple = [](const Binding& b) {
    return b.kind == BindingKind::kFunction && b.plain && b.form && b.form->defaults.empty();
  };
  if (!simple(binding) || !simple(newer) || binding.serial != newer.serial ||
      !same_type(binding.type, newer.type))
    return false;
  binding.form = newer.form;
  binding.pos = newer.pos;
  binding.owned = newer.owned;
  binding.type = newer.type;
  binding.uses = newer.uses;
  std::erase(binding.uses, &binding);
  binding.uses.push_back(&newer);  // the tree names it where it calls itself
  newer.replaced_by = &binding;
  return true;
}

Environment::Forgotten Environment::forget() {
  Forgotten forgotten;
  while (!superseded_.empty()) {
    const auto last = std::prev(superseded_.end());
    Binding& binding = bindings_.at(*last);
    superseded_.erase(last);
    release(&binding, forgotten);
  }
  return forgotten;
}

}  // namespace nvm::frontend
