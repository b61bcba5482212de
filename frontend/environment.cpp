#include "frontend/environment.h"

#include <algorithm>
#include <array>

#include "frontend/infer.h"
#include "frontend/parser.h"
#include "frontend/prelude.h"

namespace nvm::frontend {
namespace {

// Built-in names that programs may define anew; the prelude's own uses keep theirs.
constexpr std::array<std::string_view, 46> kRedefinable = {"all",
                                                           "any",
                                                           "bottop",
                                                           "cond_put",
                                                           "count",
                                                           "display",
                                                           "drop",
                                                           "elt",
                                                           "enumerate",
                                                           "exp_string",
                                                           "hash",
                                                           "head_rest",
                                                           "index",
                                                           "interleave",
                                                           "iseq",
                                                           "join",
                                                           "ln",
                                                           "max_index",
                                                           "max_int",
                                                           "max_val",
                                                           "min_index",
                                                           "min_int",
                                                           "min_val",
                                                           "mod",
                                                           "partition",
                                                           "permute",
                                                           "put",
                                                           "rand",
                                                           "rem",
                                                           "rest_tail",
                                                           "rotate",
                                                           "split",
                                                           "sqrt",
                                                           "subseq",
                                                           "sum",
                                                           "take",
                                                           "trace_string_depth",
                                                           "trace_string_length",
                                                           "transpose",
                                                           "unpack",
                                                           "user",
                                                           "zip",
                                                           "const_put",
                                                           "flag_merge",
                                                           "pack_index",
                                                           "it"};

bool internal(std::string_view name) { return name.find("__") != std::string_view::npos; }

bool same_kind(const Binding& a, const Binding& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == BindingKind::kFunction) return same_type(a.type, b.type);
  return a.kind == BindingKind::kConstructor && a.datatype->params.size() == b.datatype->params.size() &&
         same_type(a.datatype->content, b.datatype->content);
}

}  // namespace

const Binding* current(const Binding* binding) {
  while (binding->replaced_by != nullptr) binding = binding->replaced_by;
  return binding;
}

Environment::Environment() {
  add_primitives();
  const std::vector<PreludeEntry>& entries = prelude_entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    PreludeSlot& slot = prelude_[std::string(entries[i].name)];
    (entries[i].forward ? slot.declaration : slot.definition) = static_cast<int>(i);
  }
}

Binding* Environment::make(Binding binding) { return &bindings_.emplace_back(std::move(binding)); }

bool Environment::publish(Binding* binding) {
  Binding*& slot = user_[binding->name];
  const bool redefines = slot != nullptr && binding->name != "it";
  const bool same = redefines && same_kind(*slot, *binding);
  if (same && binding->kind == BindingKind::kConstructor) return false;  // old values stay of this type
  if (same) slot->replaced_by = binding;
  slot = binding;
  if (binding->kind == BindingKind::kConstructor) user_types_[binding->name] = binding->datatype;
  return redefines && !same;
}

Binding* Environment::find(std::string_view name, bool from_prelude) {
  const std::string key(name);
  if (!from_prelude) {
    const auto user = user_.find(key);
    if (user != user_.end()) return user->second;
    if (internal(name)) return nullptr;
  }
  const auto known = builtin_.find(key);
  return known != builtin_.end() ? known->second : load_prelude(key);
}

const Datatype* Environment::find_type(std::string_view name, bool from_prelude) {
  if (!from_prelude) {
    const auto user = user_types_.find(std::string(name));
    if (user != user_types_.end()) return user->second;
  }
  if (prelude_.find(std::string(name)) == prelude_.end()) return nullptr;
  const Binding* binding = find(name, true);
  return binding != nullptr ? binding->datatype : nullptr;
}

std::vector<std::string> Environment::names() const {
  std::vector<std::string> names;
  for (const auto& [name, binding] : user_) names.push_back(name);
  for (const auto& [name, binding] : builtin_)
    if (binding->kind == BindingKind::kPrimitive && !internal(name)) names.push_back(name);
  for (const auto& [name, slot] : prelude_)
    if (!internal(name)) names.push_back(name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool Environment::is_protected(std::string_view name) const {
  const std::string key(name);
  if (builtin_.find(key) == builtin_.end() && prelude_.find(key) == prelude_.end()) return false;
  return std::find(kRedefinable.begin(), kRedefinable.end(), name) == kRedefinable.end();
}

// The prelude.

std::shared_ptr<Form> Environment::parse_prelude(int entry) {
  const PreludeEntry& text = prelude_entries()[static_cast<std::size_t>(entry)];
  const Source source{std::string(kPreludeFile), text.text, static_cast<std::uint32_t>(text.line), true};
  Diagnostics diagnostics(source.file, source.text);
  Parser parser(source, diagnostics);
  std::optional<Form> form = parser.next_form();
  if (form) return std::make_shared<Form>(std::move(*form));
  prelude_errors_ += diagnostics.render();
  return nullptr;
}

bool Environment::check_prelude(Binding& binding, Form& form) {
  Diagnostics diagnostics(std::string(kPreludeFile), prelude_text());
  Checker checker(*this, diagnostics, true);
  const Type* declared = binding.type;
  switch (form.kind) {
    case FormKind::kForward: binding.type = checker.signature(*form.sig, binding); break;
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
  const auto found = prelude_.find(name);
  if (found == prelude_.end()) return nullptr;
  const bool declared = found->second.declaration >= 0;
  std::shared_ptr<Form> form = parse_prelude(declared ? found->second.declaration : found->second.definition);
  if (!form) return nullptr;
  Binding* binding = make({});
  binding->name = name;
  binding->builtin = true;
  builtin_[name] = binding;
  const bool good = check_prelude(*binding, *form);
  if (!declared) binding->form = std::move(form);
  return good ? binding : nullptr;
}

std::shared_ptr<const Form> Environment::definition(const Binding* use) {
  auto* binding = const_cast<Binding*>(current(use));
  if (binding->form || !binding->builtin) return binding->form;
  const auto found = prelude_.find(binding->name);
  if (found == prelude_.end() || found->second.definition < 0) return nullptr;
  std::shared_ptr<Form> form = parse_prelude(found->second.definition);
  if (!form) return nullptr;
  binding->form = form;
  if (!check_prelude(*binding, *form)) return nullptr;
  return form;
}

}  // namespace nvm::frontend
