#include "frontend/remora/calls.h"

#include <vector>

namespace nvm::remora {

namespace {

const Expr* under_abstractions(const Expr* e) {
  while (e->kind == ExprKind::kTypeLambda || e->kind == ExprKind::kIndexLambda) e = e->kids[0].get();
  return e;
}

}  // namespace

Calls::Calls(const Program& program) {
  std::vector<const Expr*> open;
  for (const Form& form : program.forms) {
    if (form.body == nullptr) continue;
    if (form.defines >= 0) note(form.defines, *form.body, program);
    open.push_back(form.body.get());
  }
  while (!open.empty()) {
    const Expr& e = *open.back();
    open.pop_back();
    if (e.kind == ExprKind::kLet)
      for (std::size_t k = 0; k + 1 < e.kids.size(); ++k) note(e.parameters[k], *e.kids[k], program);
    for (const ExprRef& k : e.kids) open.push_back(k.get());
  }
}

void Calls::note(ValueId value, const Expr& e, const Program& program) {
  definitions_[value] = &e;
  const Expr* f = under_abstractions(&e);
  if (f->kind == ExprKind::kLambda) names_[f] = program.values[static_cast<std::size_t>(value)].name;
}

const std::string* Calls::name(const Expr& lambda) const {
  const auto at = names_.find(&lambda);
  return at == names_.end() ? nullptr : &at->second;
}

bool Calls::leads(const Expr& from, bool into_branches, const Wanted& wanted) const {
  std::set<const Expr*> seen;
  std::vector<const Expr*> open{&from};
  while (!open.empty()) {
    const Expr& e = *open.back();
    open.pop_back();
    if (e.kind == ExprKind::kValue && e.value >= 0)
      if (const auto it = definitions_.find(e.value); it != definitions_.end()) {
        const Expr* f = under_abstractions(it->second);
        if (wanted(f)) return true;
        if (seen.insert(f).second) open.push_back(f);
      }
    const bool condition_only = e.kind == ExprKind::kIf && !into_branches;
    for (const ExprRef& k : e.kids)
      if (!condition_only || k == e.kids[0]) open.push_back(k.get());
  }
  return false;
}

bool Calls::recursive(const Expr& lambda) {
  if (names_.count(&lambda) == 0) return false;
  const auto [at, fresh] = recursive_.try_emplace(&lambda, false);
  if (fresh) at->second = leads(*lambda.kids[0], true, [&](const Expr* f) { return f == &lambda; });
  return at->second;
}

bool Calls::endless(const Expr& e) {
  if (!endless_) {
    endless_.emplace();
    for (const auto& [lambda, name] : names_) {
      const auto itself = [f = lambda](const Expr* g) { return g == f; };
      if (recursive(*lambda) && leads(*lambda->kids[0], false, itself)) endless_->insert(lambda);
    }
  }
  return !endless_->empty() && leads(e, true, [&](const Expr* f) { return endless_->count(f) != 0; });
}

}  // namespace nvm::remora
