// What names mean: values, types and indices, each in a space of its own, innermost first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/remora/program.h"

namespace nvm::remora {

class Scope {
 public:
  // Names bound while this lives are unbound behind it.
  class Level {
   public:
    explicit Level(Scope& scope) : scope_(scope), at_(scope.undo_.size()) {}
    ~Level() { scope_.unwind(at_); }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Scope& scope_;
    std::size_t at_;
  };

  void bind_value(const std::string& name, ValueId value) { set(values_, name, value, 0); }
  void bind_type(const std::string& name, Type type) { set(types_, name, std::move(type), 1); }
  void bind_index(const std::string& name, Shape index) { set(indices_, name, std::move(index), 2); }
  // Whose definition is at fault: what uses it is not reported.
  void blame(const std::string& name) { set(values_, name, kBlamed, 0); }
  static constexpr ValueId kBlamed = -2;

  [[nodiscard]] const ValueId* value(const std::string& name) const { return find(values_, name); }
  [[nodiscard]] const Type* type(const std::string& name) const { return find(types_, name); }
  [[nodiscard]] const Shape* index(const std::string& name) const { return find(indices_, name); }
  // What was bound since the outermost level began stays bound behind it; what these names meant before is
  // forgotten.
  void settle() noexcept;
  // The values that no name means any more when that is done.
  [[nodiscard]] std::vector<ValueId> hidden() const;
  // Whether a type or an index was bound since that level began.
  [[nodiscard]] bool has_new_abbreviations() const;
  // Names of values.
  [[nodiscard]] std::vector<std::string> value_names() const;
  // The visible name that is most like this one; "" if none is near.
  [[nodiscard]] std::string suggestion(const std::string& name) const;

 private:
  template <typename T>
  using Names = std::map<std::string, std::vector<T>>;
  template <typename T>
  static const T* find(const Names<T>& names, const std::string& name) {
    const auto it = names.find(name);
    return it == names.end() || it->second.empty() ? nullptr : &it->second.back();
  }
  template <typename T>
  void set(Names<T>& names, const std::string& name, T what, int space) {
    std::vector<T>& all = names[name];
    if (all.size() == all.capacity()) all.reserve(2 * all.size() + 1);
    undo_.emplace_back(space, name);
    all.push_back(std::move(what));  // cannot fail: what is to be undone is done
  }
  void unwind(std::size_t to) noexcept;

  Names<ValueId> values_;
  Names<Type> types_;
  Names<Shape> indices_;
  std::vector<std::pair<int, std::string>> undo_;
};

}  // namespace nvm::remora
