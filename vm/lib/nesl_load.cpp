// Texts of files: run as a whole or loaded form by form, and which file `check` loads, which runs nothing.
#include <cerrno>
#include <filesystem>
#include <ostream>

#include "bytecode/base/read_file.h"
#include "bytecode/base/stack.h"
#include "frontend/markdown.h"
#include "frontend/nesl/program_text.h"
#include "vm/lib/meanwhile.h"
#include "vm/lib/nesl_session.h"

namespace nvm::vm {

SessionStatus NeslSession::run_file(const std::string& path) {
  auto text = read_file(options_.world, path);
  if (!text) {
    const std::string why = unread_because(errno);
    err_ << (options_.interactive ? "" : "nvm: ") << "File " << path << " " << why << ".\n";
    return SessionStatus::kCompileError;
  }
  const bool loaded = source_ != nullptr;
  const Meanwhile<std::string> folder(folder_, loaded ? folder_ : ".");  // where its name says nothing else
  return run_script(std::move(*text), path);
}

SessionStatus NeslSession::run_script(std::string text, const std::string& name) {
  const std::string code = frontend::program_text(std::move(text), frontend::is_markdown(name));
  const auto parent = std::filesystem::path(name).parent_path().string();
  const bool loaded = source_ != nullptr;
  const Meanwhile<std::string> folder(folder_, loaded || parent.empty() ? folder_ : parent);
  last_file_ = name;
  const SessionStatus status = run_text({name, code, 1, false});
  if (!loaded && options_.one_stream) end_line();  // the next script begins a line
  return status;
}

SessionStatus NeslSession::load_script(std::string text, const std::string& name, Show show) {
  const Meanwhile<Show> shown(options_.show, show);
  const Meanwhile<bool> each_form(each_form_, true);
  return run_script(std::move(text), name);
}

SessionStatus NeslSession::load_file(const std::string& path) {
  const Meanwhile<Show> shown(options_.show, Show::kNothing);
  const Meanwhile<bool> each_form(each_form_, true);
  return run_file(path);
}

std::optional<std::string> NeslSession::known_text(const frontend::Expr& exp) const {
  check_stack();
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
