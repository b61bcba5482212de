// What keys mean in scopes within each other. To look costs the same however deep the scopes are, to leave
// one what was set in it.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nvm::frontend {

template <typename Key, typename Value, typename Hash = std::hash<Key>>
class ScopedMap {
 public:
  // What was set last, or null; valid until the next change.
  [[nodiscard]] const Value* find(const Key& key) const {
    const auto it = values_.find(key);
    return it == values_.end() ? nullptr : &it->second;
  }
  [[nodiscard]] const Value& at(const Key& key) const { return values_.at(key); }
  void set(const Key& key, Value value) {
    const auto [it, fresh] = values_.try_emplace(key);
    changes_.emplace_back(&*it, fresh ? std::nullopt : std::optional(std::move(it->second)));
    it->second = std::move(value);
  }
  // Keeps what was set before, and says whether there was nothing.
  bool set_if_new(const Key& key, Value value) {
    const auto [it, fresh] = values_.try_emplace(key, std::move(value));
    if (fresh) changes_.emplace_back(&*it, std::nullopt);
    return fresh;
  }

  // A scope: what is set from now() on, until it is undone by back_to().
  [[nodiscard]] std::size_t now() const { return changes_.size(); }
  void back_to(std::size_t then) {
    for (; changes_.size() > then; changes_.pop_back()) {
      auto& [entry, before] = changes_.back();
      if (before)
        entry->second = std::move(*before);
      else
        values_.erase(values_.find(entry->first));
    }
  }

 private:
  using Values = std::unordered_map<Key, Value, Hash>;
  Values values_;
  // What there was before; elements stay where they are until they are erased.
  std::vector<std::pair<typename Values::value_type*, std::optional<Value>>> changes_;
};

}  // namespace nvm::frontend
