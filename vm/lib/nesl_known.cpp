// What can be said about values without running anything: the texts that `load` is given, for `check`.
#include "vm/lib/nesl_session.h"

namespace nvm::vm {

std::optional<std::string> NeslSession::known_text(const frontend::Expr& exp) const {
  using frontend::ExprKind;
  if (exp.kind == ExprKind::kString) return exp.text;
  if (exp.kind == ExprKind::kName) {
    const auto it = known_texts_.find(exp.text);
    return it == known_texts_.end() ? std::nullopt : std::optional(it->second);
  }
  if (exp.kind != ExprKind::kCall || exp.items[0]->kind != ExprKind::kName || exp.items[0]->text != "++" ||
      exp.items[1]->kind != ExprKind::kTuple || exp.items[1]->items.size() != 2)
    return std::nullopt;
  const auto first = known_text(*exp.items[1]->items[0]);
  const auto second = first ? known_text(*exp.items[1]->items[1]) : std::nullopt;
  return second ? std::optional(*first + *second) : std::nullopt;
}

void NeslSession::note_text(const frontend::Form& form) {
  if (form.kind != frontend::FormKind::kBind || form.pattern.kind != frontend::Pattern::Kind::kName) return;
  known_texts_.erase(form.pattern.name);
  if (const auto text = known_text(*form.exp)) known_texts_[form.pattern.name] = *text;
}

}  // namespace nvm::vm
