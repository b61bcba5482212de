// The values of a session's variables: a form's own when it has run, and how long they are kept.
#include <algorithm>
#include <utility>

#include "bytecode/base/ascii.h"
#include "frontend/core.h"
#include "frontend/emit.h"
#include "vm/lib/nesl_session.h"

namespace nvm::vm {

using frontend::BoundVariable;
using frontend::CompiledForm;
using frontend::FormKind;

// Which values the forms of a stretch still want while it runs.
class NeslSession::Wants {
 public:
  using Variables = std::unordered_map<std::uint32_t, Variable>;
  Wants(const frontend::Environment& environment, Variables& variables, const std::vector<Pending>& pending)
      : environment_(environment), variables_(variables) {
    for (const Pending& p : pending) for_each(p, [this](std::uint32_t variable) { ++left_[variable]; });
  }
  // Of a form that has run: those that neither the forms behind it nor later texts can have.
  void drop_values(const Pending& done) {
    for_each(done, [this](std::uint32_t variable) {
      if (--left_.at(variable) > 0) return;
      left_.erase(variable);
      const auto found = variables_.find(variable);
      if (found != variables_.end() && is_dead(*found->second.binding)) variables_.erase(found);
    });
  }

 private:
  // What it takes, and what its names meant before it: that is restored if it does not run.
  template <typename F>
  static void for_each(const Pending& pending, F f) {
    if (pending.compiled.core)
      for (const std::uint32_t input : pending.compiled.core->inputs) f(input);
    for (const BoundVariable& b : pending.bound)
      if (b.before != nullptr) f(b.before->variable);
  }
  bool is_dead(const frontend::Binding& variable) {
    if (!variable.superseded) return false;
    if (variable.replaced_by != nullptr) return true;
    if (variable.users == 0 && variable.replaces.empty()) return true;
    if (!reachable_) reachable_ = environment_.reachable();
    return !reachable_->contains(&variable);
  }

  const frontend::Environment& environment_;
  Variables& variables_;
  std::unordered_map<std::uint32_t, int> left_;
  std::optional<frontend::Environment::Reachable> reachable_;  // no name gets a meaning while forms run
};

SessionStatus NeslSession::run_pending(std::vector<Pending>& pending, const std::string& file) {
  Wants wants(environment_, variables_, pending);
  Withdrawing withdrawing(environment_, pending);
  // Definitions of a module are not shown.
  const auto shown = [&](const Pending& p) {
    return source_ == nullptr || p.compiled.form->source == source_->number;
  };
  for (std::size_t& i = withdrawing.done; i < pending.size(); ++i) {
    Pending& p = pending[i];
    std::vector<Value> slots;
    if (options_.mode == SessionMode::kCheck) {
      if (options_.show != Show::kNothing && shown(p)) show_type(p.compiled);
      continue;
    }
    if (options_.mode == SessionMode::kCompile && p.compiled.form->kind == FormKind::kExpr) {
      last_ = p.compiled;
      continue;
    }
    if (p.compiled.core) {
      auto result = evaluate(p.compiled, file);
      if (!result) return SessionStatus::kRunError;
      slots = std::move(*result);
      keep(p.bound, slots);
    }
    const Pending ran = std::exchange(p, {});
    wants.drop_values(ran);
    if (shown(ran)) show(ran, slots);
  }
  return SessionStatus::kOk;
}

void NeslSession::forget() {
  if (options_.mode == SessionMode::kCompile) return;  // the last expression is compiled later
  const auto forgotten = environment_.forget();
  for (const std::uint32_t variable : forgotten.variables) variables_.erase(variable);
  for (const auto& form : forgotten.forms)
    std::erase_if(functions_, [&](const Lines& f) {
      return f.source == form->source && f.begin == form->pos.line && f.function == form->name;
    });
}

std::vector<Value> NeslSession::values_of(const std::vector<frontend::VariableSlot>& inputs) const {
  std::vector<Value> values;
  for (const frontend::VariableSlot& in : inputs)
    values.push_back(variables_.at(in.variable).slots.at(static_cast<std::size_t>(in.slot)));
  return values;
}

void NeslSession::keep(const std::vector<BoundVariable>& bound, const std::vector<Value>& slots) {
  for (const BoundVariable& b : bound) {
    const auto first = slots.begin() + b.first_slot;
    variables_[b.number] = {b.binding, std::vector<Value>(first, first + b.slots)};
  }
}

void NeslSession::bind(const std::string& name, const frontend::Type* type, std::vector<Value> slots,
                       const CompiledForm* compiled) {
  const frontend::BoundVariable bound = frontend::bind_variable(environment_, lower(name), type, compiled);
  variables_[bound.number] = {bound.binding, std::move(slots)};
  forget();
}

const std::vector<Value>* NeslSession::value(const std::string& name, const frontend::Type*& type) {
  const frontend::Binding* binding = environment_.find(lower(name));
  if (binding == nullptr || binding->kind != frontend::BindingKind::kVariable) return nullptr;
  const auto it = variables_.find(binding->variable);
  if (it == variables_.end()) return nullptr;
  type = binding->type;
  return &it->second.slots;
}

}  // namespace nvm::vm
