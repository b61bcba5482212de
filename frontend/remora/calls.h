// Which functions call themselves: by the names in their bodies.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "frontend/remora/program.h"

namespace nvm::remora {

class Calls {
 public:
  explicit Calls(const Program& program);

  // The name that a definition gives a lambda; null: none does.
  [[nodiscard]] const std::string* name(const Expr& lambda) const;
  // Whether a call can lead to another one: the body names the function, or functions that do.
  bool recursive(const Expr& lambda);
  // Whether an expression names functions that call themselves whatever branches are taken: only a frame
  // without cells ends that.
  bool endless(const Expr& e);

 private:
  void note(ValueId value, const Expr& e, const Program& program);
  // Whether the names in an expression, and in what they stand for, lead to a wanted function.
  using Wanted = std::function<bool(const Expr* lambda)>;
  [[nodiscard]] bool leads(const Expr& from, bool into_branches, const Wanted& wanted) const;

  std::map<ValueId, const Expr*> definitions_;
  std::map<const Expr*, std::string> names_;
  std::map<const Expr*, bool> recursive_;
  std::optional<std::set<const Expr*>> endless_;
};

}  // namespace nvm::remora
