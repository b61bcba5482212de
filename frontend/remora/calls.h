// Which functions call themselves: by the names in their bodies.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontend/remora/program.h"

namespace nvm::remora {

class Calls {
 public:
  explicit Calls(const Program& program);

  // The name that a definition gives a lambda; null: none does.
  [[nodiscard]] const std::string* name(const Expr& lambda) const;
  // Whether a call can lead to another one: the body names the function, or functions that do.
  [[nodiscard]] bool recursive(const Expr& lambda) const;

 private:
  struct Definition {
    const Expr* of = nullptr;  // under abstractions
    bool recursive = false;
  };
  void note(ValueId value, const Expr& e, const Program& program);
  [[nodiscard]] std::vector<std::int32_t> named(const Expr& e) const;
  [[nodiscard]] static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

  std::vector<Definition> definitions_;
  std::map<ValueId, std::int32_t> by_value_;
  std::map<const Expr*, std::int32_t> lambdas_;
  std::map<const Expr*, std::string> names_;
};

}  // namespace nvm::remora
