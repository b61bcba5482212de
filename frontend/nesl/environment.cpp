#include "frontend/nesl/environment.h"

#include <algorithm>
#include <array>

#include "frontend/nesl/infer.h"
#include "frontend/nesl/modules.h"
#include "frontend/nesl/parser.h"
#include "frontend/nesl/prelude.h"
#include "frontend/nesl/prims.h"

namespace nvm::frontend {
namespace {

// Of these constants the prelude, too, uses what the user defines.
constexpr std::array<std::string_view, 2> kSettings = {"trace_string_depth", "trace_string_length"};

// Built-in names that the legacy compiler has not, beside those whose documentation says so (prelude.h):
// programs define them as any other name.
constexpr std::array<std::string_view, 4> kAdded = {"check", "fail", "reduce", "zero_elt"};

template <typename Names>
bool among(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Rows of prelude_entries() that concern one name; -1: none.
struct PreludeRows {
  int declaration = -1;
  int definition = -1;
  [[nodiscard]] bool none() const { return declaration < 0 && definition < 0; }
};

PreludeRows prelude_rows(std::string_view name) {
  const auto before = [&](std::uint16_t row, std::string_view wanted) {
    return prelude_entry(row).name < wanted;
  };
  const std::span<const std::uint16_t> rows = prelude_by_name();
  PreludeRows found;
  for (auto row = std::lower_bound(rows.begin(), rows.end(), name, before);
       row != rows.end() && prelude_entry(*row).name == name; ++row)
    (prelude_entry(*row).forward ? found.declaration : found.definition) = *row;
  return found;
}

bool documented(const PreludeRows& rows, std::string_view beginning) {
  const int row = rows.definition >= 0 ? rows.definition : rows.declaration;
  return row >= 0 &&
         prelude_entry(static_cast<std::size_t>(row)).text.find(beginning) != std::string_view::npos;
}

// Of release 3.1's own use, which programs may have their own of (prelude.h).
bool is_added(std::string_view name) {
  return among(kAdded, name) || documented(prelude_rows(name), "\"Of nvm. ");
}

bool is_helper(const PreludeRows& rows) { return documented(rows, "\"Internal. "); }

const std::unordered_map<std::string_view, const Primitive*>& primitive_index() {
  static const auto index = [] {
    std::unordered_map<std::string_view, const Primitive*> rows;
    for (const Primitive& row : all_primitives()) rows[row.name()] = &row;
    return rows;
  }();
  return index;
}

bool internal(std::string_view name) { return name.find("__") != std::string_view::npos; }

bool same_kind(const Binding& a, const Binding& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == BindingKind::kFunction) return same_type(a.type, b.type);
  if (a.kind == BindingKind::kVariable) return !contains_function(a.type) && same_type(a.type, b.type);
  return a.kind == BindingKind::kConstructor && a.datatype->params.size() == b.datatype->params.size() &&
         same_type(a.datatype->content, b.datatype->content);
}

}  // namespace

const Binding* current(const Binding* binding) {
  while (binding->replaced_by != nullptr) binding = binding->replaced_by;
  return binding;
}

Binding* Environment::make(Binding binding) {
  binding.order = made_++;
  return &bindings_.emplace(binding.order, std::move(binding)).first->second;
}

Binding* Environment::publish(Binding* binding) {
  if (!protecting_ && binding->name != "it") locked_.insert(binding->name);
  Binding*& slot = names_.values[binding->name];
  Binding* const before = slot;
  Binding* const old = slot != nullptr ? slot : setting(binding->name);
  const bool same = old != nullptr && binding->name != "it" && same_kind(*old, *binding);
  if (same && binding->kind == BindingKind::kConstructor) return before;  // old values stay of this type
  if (same) {
    old->replaced_by = binding;
    binding->replaces.push_back(old);
  }
  if (before != nullptr) {
    before->superseded = true;
    superseded_.insert(before->order);
  }
  slot = binding;
  if (binding->kind == BindingKind::kConstructor) names_.types[binding->name] = binding->datatype;
  return before;
}

void Environment::withdraw(Binding* binding, Binding* before) {
  Binding* const old = before != nullptr ? before : setting(binding->name);
  if (old != nullptr && old->replaced_by == binding) {
    old->replaced_by = nullptr;
    std::erase(binding->replaces, old);
  }
  const auto meant = names_.values.find(binding->name);
  if (meant != names_.values.end() && meant->second == binding) {
    if (before == nullptr) {
      names_.values.erase(meant);
    } else {
      meant->second = before;
      before->superseded = false;
    }
  }
  discard(binding);
}

Binding* Environment::setting(const std::string& name) {
  return among(kSettings, name) ? find(name, true) : nullptr;
}

bool Environment::changes_type(const Binding& binding) {
  const Binding* old = binding.name == "it" ? nullptr : find(binding.name);
  if (old == nullptr || (old->builtin && is_added(binding.name))) return false;
  return !same_kind(*old, binding);
}

bool Environment::stand_in(const std::shared_ptr<Form>& form, Diagnostics& diagnostics) {
  const Types lasting(*this);
  Binding* binding = make({});
  binding->name = form->name;
  binding->builtin = true;
  binding->form = form;
  binding->type = Checker(*this, diagnostics, true).function(*form, *binding);
  if (binding->type == nullptr) return false;
  names_.values[binding->name] = binding;
  return true;
}

void Environment::drop_stand_in(const std::string& name) {
  const auto it = names_.values.find(name);
  if (it != names_.values.end() && it->second->builtin) names_.values.erase(it);
}

Binding* Environment::find(std::string_view name, bool from_prelude) {
  const std::string key(name);
  if (!from_prelude) {
    const auto user = names_.values.find(key);
    if (user != names_.values.end()) return user->second;
    if (internal(name)) return nullptr;
  }
  const auto known = builtin_.find(key);
  if (known != builtin_.end()) return known->second;
  Binding* primitive = load_primitive(key);
  return primitive != nullptr ? primitive : load_prelude(key);
}

const Datatype* Environment::find_type(std::string_view name, bool from_prelude) {
  if (!from_prelude) {
    const auto user = names_.types.find(std::string(name));
    if (user != names_.types.end()) return user->second;
  }
  if (prelude_rows(name).none()) return nullptr;
  const Binding* binding = find(name, true);
  return binding != nullptr ? binding->datatype : nullptr;
}

std::vector<const Binding*> Environment::without_body() const {
  std::vector<const Binding*> found;
  for (const auto& [order, binding] : bindings_) {
    const auto user = names_.values.find(binding.name);
    const bool meant = user != names_.values.end() && user->second == &binding;
    if (meant && binding.kind == BindingKind::kFunction && !binding.form) found.push_back(&binding);
  }
  return found;
}

std::vector<std::string> Environment::names() const {
  std::vector<std::string> names;
  for (const auto& [name, binding] : names_.values) names.push_back(name);
  for (const auto& [name, info] : primitive_index())
    if (!internal(name)) names.emplace_back(name);
  for (const PreludeEntry& entry : prelude_entries())
    if (!internal(entry.name)) names.emplace_back(entry.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool Environment::is_protected(std::string_view name) const {
  return protecting_ && locked_.count(std::string(name)) != 0;
}

bool Environment::would_replace(std::string_view name) const {
  if (internal(name) || is_added(name) || among(kSettings, name) ||
      names_.values.count(std::string(name)) != 0)
    return false;
  if (primitive_index().find(name) != primitive_index().end()) return true;
  const PreludeRows rows = prelude_rows(name);
  return !rows.none() && !is_helper(rows);
}

// The primitives and the prelude.

// A primitive's type is written in NESL.
Binding* Environment::load_primitive(const std::string& name) {
  const auto found = primitive_index().find(name);
  if (found == primitive_index().end()) return nullptr;
  const Primitive& row = *found->second;
  const Types lasting(*this);
  const std::string text = "function " + name + " x : " + row.type + ";";
  const Source source{"prims.def", text, 1, true};
  Diagnostics diagnostics(source.file, text);
  Parser parser(source, diagnostics);
  const auto form = parser.next_form();
  Binding* binding = make({});
  binding->name = name;
  binding->kind = BindingKind::kPrimitive;
  binding->builtin = true;
  binding->serial = row.serial();
  binding->prim = static_cast<int>(row.prim);
  if (form) binding->type = Checker(*this, diagnostics, true).signature(*form->sig, *binding);
  prelude_errors_ += diagnostics.render();
  builtin_[name] = binding;
  return binding;
}

std::shared_ptr<Form> Environment::parse_prelude(int entry) {
  const PreludeEntry text = prelude_entry(static_cast<std::size_t>(entry));
  const Source source{std::string(kPreludeFile), text.text, static_cast<std::uint32_t>(text.line), true};
  Diagnostics diagnostics(source.file, source.text);
  Parser parser(source, diagnostics);
  std::optional<Form> form = parser.next_form();
  if (form) return std::make_shared<Form>(std::move(*form));
  prelude_errors_ += diagnostics.render();
  return nullptr;
}

bool Environment::check_prelude(Binding& binding, Form& form) {
  const Types lasting(*this);
  Diagnostics diagnostics(std::string(kPreludeFile), prelude_text());
  Checker checker(*this, diagnostics, true);
  const Type* declared = binding.type;
  switch (form.kind) {
    case FormKind::kForward:
      binding.type = checker.signature(*form.sig, binding);
      // What is chosen by type (specialise.h) is serial for all types or for none.
      if (const Binding* chosen = find(binding.name + "__int", true); chosen != nullptr)
        binding.serial = chosen->serial;
      break;
    case FormKind::kFunction: binding.type = checker.function(form, binding); break;
    case FormKind::kDatatype:
      binding.kind = BindingKind::kConstructor;
      binding.type = checker.datatype(form, binding);
      break;
    default:
      binding.kind = BindingKind::kVariable;
      binding.constant = true;
      binding.type = checker.expression(*form.exp);
  }
  if (declared != nullptr && binding.type != nullptr && !same_type(declared, binding.type))
    diagnostics.error(form.pos, "the definition of " + binding.name + " differs from its declaration");
  prelude_errors_ += diagnostics.render();
  return !diagnostics.failed();
}

Binding* Environment::load_prelude(const std::string& name) {
  const PreludeRows found = prelude_rows(name);
  if (found.none()) return nullptr;
  const bool declared = found.declaration >= 0;
  std::shared_ptr<Form> form = parse_prelude(declared ? found.declaration : found.definition);
  if (!form) return nullptr;
  Binding* binding = make({});
  binding->name = name;
  binding->builtin = true;
  builtin_[name] = binding;
  const bool good = check_prelude(*binding, *form);
  if (!declared || found.definition < 0) binding->form = std::move(form);
  return good ? binding : nullptr;
}

std::shared_ptr<const Form> Environment::definition(const Binding* use) {
  auto* binding = const_cast<Binding*>(current(use));
  if (binding->form && binding->form->kind == FormKind::kForward) return nullptr;
  if (binding->form || !binding->builtin) return binding->form;
  const PreludeRows found = prelude_rows(binding->name);
  if (found.definition < 0) return nullptr;
  std::shared_ptr<Form> form = parse_prelude(found.definition);
  if (!form) return nullptr;
  binding->form = form;
  if (!check_prelude(*binding, *form)) return nullptr;
  return form;
}

}  // namespace nvm::frontend
