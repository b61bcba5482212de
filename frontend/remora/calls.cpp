#include "frontend/remora/calls.h"

#include <algorithm>
#include <utility>

#include "frontend/call_graph.h"

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
  std::vector<std::vector<std::int32_t>> all, always;
  for (const Definition& d : definitions_) {
    all.push_back(named(*d.of, true));
    always.push_back(named(*d.of, false));
  }
  const frontend::CallGraph any(std::move(all)), without_end(std::move(always));
  for (std::size_t i = 0; i < definitions_.size(); ++i) definitions_[i].recursive = any.recursive[i];
  // Callees stand before callers, but for those on a cycle: they take further rounds.
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::int32_t f : any.order) {
      const auto& callees = any.callees[at(f)];
      const bool leads = without_end.recursive[at(f)] ||
                         std::any_of(callees.begin(), callees.end(),
                                     [&](std::int32_t g) { return definitions_[at(g)].endless; });
      changed |= leads && !std::exchange(definitions_[at(f)].endless, leads);
    }
  }
}

void Calls::note(ValueId value, const Expr& e, const Program& program) {
  const Expr* f = under_abstractions(&e);
  by_value_[value] = lambdas_[f] = static_cast<std::int32_t>(definitions_.size());
  definitions_.push_back({f});
  if (f->kind == ExprKind::kLambda) names_[f] = program.values[static_cast<std::size_t>(value)].name;
}

std::vector<std::int32_t> Calls::named(const Expr& top, bool in_branches) const {
  std::vector<std::int32_t> out;
  std::vector<const Expr*> open{&top};
  while (!open.empty()) {
    const Expr& e = *open.back();
    open.pop_back();
    if (e.kind == ExprKind::kValue && e.value >= 0)
      if (const auto it = by_value_.find(e.value); it != by_value_.end()) out.push_back(it->second);
    const bool condition_only = e.kind == ExprKind::kIf && !in_branches;
    for (std::size_t k = 0; k < (condition_only ? 1 : e.kids.size()); ++k) open.push_back(e.kids[k].get());
  }
  return out;
}

const std::string* Calls::name(const Expr& lambda) const {
  const auto found = names_.find(&lambda);
  return found == names_.end() ? nullptr : &found->second;
}

bool Calls::recursive(const Expr& lambda) const {
  const auto found = lambdas_.find(&lambda);
  return found != lambdas_.end() && definitions_[at(found->second)].recursive;
}

bool Calls::endless(const Expr& e) const {
  const std::vector<std::int32_t> all = named(e, true);
  return std::any_of(all.begin(), all.end(), [&](std::int32_t f) { return definitions_[at(f)].endless; });
}

}  // namespace nvm::remora
