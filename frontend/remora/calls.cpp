#include "frontend/remora/calls.h"

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
  std::vector<std::vector<std::int32_t>> callees;
  for (const Definition& d : definitions_) callees.push_back(named(*d.of));
  const frontend::CallGraph graph(std::move(callees));
  for (std::size_t i = 0; i < definitions_.size(); ++i) definitions_[i].recursive = graph.recursive[i];
}

void Calls::note(ValueId value, const Expr& e, const Program& program) {
  const Expr* f = under_abstractions(&e);
  by_value_[value] = lambdas_[f] = static_cast<std::int32_t>(definitions_.size());
  definitions_.push_back({f});
  if (f->kind == ExprKind::kLambda) names_[f] = program.values[static_cast<std::size_t>(value)].name;
}

std::vector<std::int32_t> Calls::named(const Expr& top) const {
  std::vector<std::int32_t> out;
  std::vector<const Expr*> open{&top};
  while (!open.empty()) {
    const Expr& e = *open.back();
    open.pop_back();
    if (e.kind == ExprKind::kValue && e.value >= 0)
      if (const auto it = by_value_.find(e.value); it != by_value_.end()) out.push_back(it->second);
    for (const ExprRef& k : e.kids) open.push_back(k.get());
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

}  // namespace nvm::remora
