#include "frontend/remora/scope.h"

#include "bytecode/base/suggest.h"
#include "frontend/remora/library.h"

namespace nvm::remora {

void Scope::unwind(std::size_t to) {
  for (; undo_.size() > to; undo_.pop_back()) {
    const auto& [space, name] = undo_.back();
    if (space == 0) values_[name].pop_back();
    if (space == 1) types_[name].pop_back();
    if (space == 2) indices_[name].pop_back();
  }
}

std::string Scope::suggestion(const std::string& name) const {
  std::vector<std::string_view> names = library_names();
  for (const auto& [known, bound] : values_)
    if (!bound.empty()) names.emplace_back(known);
  return std::string(nearest_name(name, names));
}

}  // namespace nvm::remora
