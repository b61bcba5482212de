#include "frontend/remora/scope.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "bytecode/base/suggest.h"
#include "frontend/remora/library.h"

namespace nvm::remora {

void Scope::unwind(std::size_t to) noexcept {
  for (; undo_.size() > to; undo_.pop_back()) {
    const auto& [space, name] = undo_.back();
    const auto pop = [&, at = &name](auto& names) {
      const auto it = names.find(*at);
      it->second.pop_back();
      if (it->second.empty()) names.erase(it);
    };
    if (space == 0) pop(values_);
    if (space == 1) pop(types_);
    if (space == 2) pop(indices_);
  }
}

void Scope::settle() noexcept {
  for (const auto& [space, name] : undo_) {
    const auto last_only = [at = &name](auto& names) {
      auto& all = names.find(*at)->second;
      all.erase(all.begin(), all.end() - 1);
    };
    if (space == 0) last_only(values_);
    if (space == 1) last_only(types_);
    if (space == 2) last_only(indices_);
  }
  undo_.clear();
}

std::vector<ValueId> Scope::hidden() const {
  std::vector<ValueId> found;
  std::set<std::string_view> seen;
  for (const auto& [space, name] : undo_)
    if (space == 0 && seen.insert(name).second) {
      const std::vector<ValueId>& all = values_.at(name);
      found.insert(found.end(), all.begin(), all.end() - 1);
    }
  return found;
}

bool Scope::has_new_abbreviations() const {
  return std::any_of(undo_.begin(), undo_.end(), [](const auto& bound) { return bound.first != 0; });
}

std::vector<std::string> Scope::value_names() const {
  std::vector<std::string> names;
  for (const auto& [name, bound] : values_)
    if (!bound.empty()) names.push_back(name);
  return names;
}

std::string Scope::suggestion(const std::string& name) const {
  std::vector<std::string_view> names = library_names();
  for (const auto& [known, bound] : values_)
    if (!bound.empty()) names.emplace_back(known);
  return std::string(nearest_name(name, names));
}

}  // namespace nvm::remora
