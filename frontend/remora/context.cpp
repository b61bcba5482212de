#include "frontend/remora/context.h"

#include "frontend/remora/library.h"
#include "frontend/remora/type_reader.h"

namespace nvm::remora {

const Type& LibraryTypes::of(std::int32_t row) {
  const auto [at, fresh] = types_.try_emplace(row, Read{{}, variables_.next()});
  if (fresh) {
    Scope none;
    const LibraryEntry& entry = nvm::remora::library()[static_cast<std::size_t>(row)];
    at->second.type = TypeReader(none, variables_).type(read_trees(entry.type)[0]);
    note_rule(entry.rule, *at->second.type.atom);
  }
  return at->second.type;
}

// "@a @r l": each of these shapes has l axes.
void LibraryTypes::note_rule(std::string_view rule, const Atom& binder) {
  const std::vector<Tree> names = read_trees(rule);
  const auto named = [&](const Tree& t) {
    for (const Var v : binder.bound)
      if (variables_[v].name == t.text) return v;
    return kNoVar;
  };
  for (std::size_t k = 0; k + 1 < names.size(); ++k) axes_[named(names[k])] = named(names.back());
}

Var LibraryTypes::axes(Var shape) const {
  const auto at = axes_.find(shape);
  return at == axes_.end() ? kNoVar : at->second;
}

void LibraryTypes::forget_from(Var first) {
  std::erase_if(types_, [&](const auto& row) { return row.second.first >= first; });
  axes_.erase(axes_.lower_bound(first), axes_.end());
}

void Context::give(const Given& given) {
  const std::vector<Tree> written = read_trees(given.type);
  if (written.size() != 1) throw Error{"syntax", {1, 1}, "a type is expected"};
  Scope none;
  const auto id = static_cast<ValueId>(program.values.size());
  program.values.push_back({given.name, TypeReader(none, program.variables).type(written[0]), {1, 1}});
  scope.bind_value(given.name, id);
  program.forms.push_back({id, false, nullptr, Form::Use::kGiven});
}

Context::Mark Context::mark() const {
  return {program.forms.size(), program.values.size(), program.variables.next()};
}

void Context::roll_back(const Mark& to) {
  program.forms.resize(to.forms);
  program.values.resize(to.values);
  forget_variables(to.variables);
}

void Context::forget_variables(Var from) {
  library.forget_from(from);
  program.variables.forget_from(from);
}

}  // namespace nvm::remora
