// Checking: the chunks in order, those that must be.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "bytecode/base/budget.h"
#include "bytecode/base/stack.h"
#include "frontend/edit/nesl_unit.h"
#include "frontend/markdown.h"
#include "frontend/nesl/modules.h"
#include "frontend/nesl/parser.h"
#include "frontend/nesl/types.h"

namespace nvm::edit {

using frontend::Binding;
using frontend::CompiledForm;
using frontend::Form;
using frontend::FormKind;
using frontend::Type;
using frontend::TypeKind;

namespace {

constexpr std::uint64_t kNothing = 0, kBlamed = 1, kFirst = 2;

std::uint64_t meaning(const std::string& word, const NeslWorld& world) {
  if (world.blamed.contains(word)) return kBlamed;
  const Binding* binding = world.environment.defined(word);
  return binding == nullptr ? kNothing : binding->order + kFirst;
}

std::vector<std::uint64_t> meanings(const NeslChunk& chunk, const NeslWorld& world) {
  std::vector<std::uint64_t> seen;
  seen.reserve(chunk.words.size());
  for (const std::string& word : chunk.words) seen.push_back(meaning(word, world));
  return seen;
}

// Whether code that the chunk makes can hold that of a function with a new body.
bool reaches_redefined(const NeslChunk& chunk, const NeslWorld& world) {
  if (!chunk.evaluates || world.redefined.empty()) return false;
  std::unordered_set<const Binding*> seen;
  std::vector<const Binding*> open;
  const auto reach = [&](const Binding* binding) {
    if (binding != nullptr && seen.insert(binding).second) open.push_back(binding);
  };
  for (const std::string& word : chunk.words) reach(world.environment.defined(word));
  while (!open.empty()) {
    const Binding* const binding = open.back();
    open.pop_back();
    if (world.redefined.contains(binding)) return true;
    reach(binding->replaced_by);
    for (const Binding* used : binding->uses) reach(used);
  }
  return false;
}

bool is_text(const Type* type) {
  type = frontend::resolve(type);
  return type->kind == TypeKind::kSeq && frontend::resolve(type->args[0])->kind == TypeKind::kChar;
}

// The string that an expression is, if that can be said without running anything.
std::optional<std::string> known_text(const frontend::Expr& exp, const NeslWorld& world, int depth = 0) {
  using frontend::ExprKind;
  constexpr int kMostJoined = 100;
  if (depth > kMostJoined) return std::nullopt;
  if (exp.kind == ExprKind::kString) return exp.text;
  if (exp.kind == ExprKind::kName) {
    const auto it = world.texts.find(exp.text);
    return it == world.texts.end() ? std::nullopt : std::optional(it->second);
  }
  const bool joins = exp.kind == ExprKind::kCall && exp.items[0]->kind == ExprKind::kName &&
                     exp.items[0]->text == "++" && exp.items[1]->kind == ExprKind::kTuple &&
                     exp.items[1]->items.size() == 2;
  if (!joins) return std::nullopt;
  const auto first = known_text(*exp.items[1]->items[0], world, depth + 1);
  const auto second = first ? known_text(*exp.items[1]->items[1], world, depth + 1) : std::nullopt;
  return second ? std::optional(*first + *second) : std::nullopt;
}

bool same_variable(const Binding& a, const Binding& b) {
  using frontend::BindingKind;
  return a.kind == BindingKind::kVariable && b.kind == BindingKind::kVariable && a.constant == b.constant &&
         !frontend::contains_function(a.type) && !frontend::contains_function(b.type) &&
         frontend::same_type(a.type, b.type);
}

}  // namespace

void NeslUnit::check(NeslWorld& world) {
  bodiless_.clear();
  for (auto& chunk : chunks_) {
    check_budget();
    if (chunk->blank) continue;
    if (!chunk->readable) {
      world.blamed.insert(chunk->blamed_read.begin(), chunk->blamed_read.end());
      continue;
    }
    if (must_check(*chunk, world))
      check_chunk(*chunk, world);
    else
      publish(*chunk, world);
  }
  retired_.clear();
}

bool NeslUnit::must_check(const NeslChunk& chunk, const NeslWorld& world) const {
  if (!chunk.checked || chunk.kind == FormKind::kCommand || chunk.kind == FormKind::kBackground) return true;
  if (chunk.faulty && chunk.names != names_) return true;  // messages tell what is defined elsewhere
  return meanings(chunk, world) != chunk.seen || reaches_redefined(chunk, world);
}

// Names mean what they meant when the chunk was checked.
void NeslUnit::publish(NeslChunk& chunk, NeslWorld& world) {
  for (Binding* binding : chunk.bindings) world.environment.publish(binding);
  world.blamed.insert(chunk.blamed.begin(), chunk.blamed.end());
  for (const std::string& name : chunk.declares) world.texts.erase(name);
  if (chunk.known) world.texts[chunk.declares.front()] = *chunk.known;
}

void NeslUnit::check_chunk(NeslChunk& chunk, NeslWorld& world) {
  if (!chunk.form) {  // it was checked before, which changed its tree
    auto again = read_chunk(chunk.begin, chunk.column, world);
    chunk.form = std::move(again->form);
  }
  chunk.checked = false;  // until the end: what is cut short is done again
  ++world.checks;
  const std::shared_ptr<Form> form = chunk.form;
  const std::string_view text = std::string_view(code_).substr(chunk.begin);
  std::vector<std::uint64_t> seen = meanings(chunk, world);
  Diagnostics diagnostics("", "");
  for (const std::string& word : chunk.words)
    if (world.blamed.contains(word)) diagnostics.blame(word);
  NeslFactFinder facts(text.substr(0, chunk.end - chunk.begin), chunk.column);
  facts.read_keywords(*form);
  world.environment.set_text(text);
  const auto types = std::make_shared<frontend::TypeArena>();
  auto compiled = frontend::compile_form(world.environment, form, types, diagnostics);
  chunk.form = nullptr;
  chunk.messages.clear();
  chunk.blamed.clear();
  chunk.facts = facts.find(*form, compiled ? &*compiled : nullptr);
  chunk.known.reset();
  chunk.evaluates = compiled && compiled->core != nullptr;
  if (compiled) {
    define(chunk, *compiled, world);
  } else {
    chunk.bindings.clear();
    chunk.facts.hints.clear();
    for (const std::string& word : chunk.words)
      if (diagnostics.blamed(word) && world.blamed.insert(word).second) chunk.blamed.push_back(word);
  }
  if (frontend::is_import(*form) && !import(chunk, *form, diagnostics, world)) {
    chunk.blamed.push_back(frontend::all_of_prefix(chunk.prefix));
    world.blamed.insert(chunk.blamed.back());
  }
  const bool of_top_level = form->kind == FormKind::kCommand || form->kind == FormKind::kBackground ||
                            form->kind == FormKind::kDefconfig;
  if (world.in_module && of_top_level && !frontend::is_import(*form))
    diagnostics.error(form->pos, "a module has definitions and imports, no commands of the top level");
  for (const Diagnostic& d : diagnostics.all())
    chunk.messages.push_back({d.severity, facts.offset(d.pos), d.message});
  if (compiled && form->kind == FormKind::kCommand && !world.in_module)
    command(chunk, *form, &*compiled, world);
  chunk.seen = std::move(seen);
  chunk.names = names_;
  chunk.faulty = !compiled;
  chunk.checked = true;
}

Binding* NeslUnit::kept_for(const NeslChunk& chunk, const std::string& name) const {
  for (Binding* binding : chunk.bindings)
    if (binding->name == name) return binding;
  const auto it = retired_.find(name);
  return it == retired_.end() ? nullptr : it->second;
}

// Where a definition has the type that it had, its binding stays, and whoever uses it need not be checked.
void NeslUnit::define(NeslChunk& chunk, CompiledForm& compiled, NeslWorld& world) {
  std::vector<Binding*> bindings;
  const auto settle = [&](Binding* made) {
    Binding* const before = kept_for(chunk, made->name);
    if (before != nullptr && before != made) {
      const bool function = world.environment.redefine(*before, *made);
      if (function) world.redefined.insert(before);
      if (function || same_variable(*before, *made)) {
        world.environment.publish(before);
        made = before;
      }
    }
    bindings.push_back(made);
  };
  const Form& form = *compiled.form;
  switch (form.kind) {
    case FormKind::kFunction:
    case FormKind::kForward:
    case FormKind::kDatatype:
      if (Binding* const made = world.environment.defined(form.name)) settle(made);
      break;
    case FormKind::kExpr:
    case FormKind::kBind:
    case FormKind::kFileBind:
      for (const frontend::BoundVariable& bound : frontend::bind_result(world.environment, compiled))
        settle(bound.binding);
      break;
    case FormKind::kBackground: chunk.job = std::make_shared<CompiledForm>(compiled); break;
    default: break;
  }
  chunk.bindings = std::move(bindings);
  for (const std::string& name : chunk.declares) world.texts.erase(name);
  const bool names_one = form.kind == FormKind::kBind && form.pattern.kind == frontend::Pattern::Kind::kName;
  if (names_one) chunk.known = known_text(*form.exp, world);
  if (chunk.known) world.texts[form.pattern.name] = *chunk.known;
  if (chunk.job) world.jobs[form.name] = chunk.job;
}

// Of the commands those that give names a meaning.
void NeslUnit::command(NeslChunk& chunk, const Form& form, const CompiledForm* compiled, NeslWorld& world) {
  check_stack();
  const auto say = [&](Severity severity, std::string text) {
    chunk.messages.push_back({severity, chunk.form_begin, std::move(text)});
  };
  if (form.name == "get" && !form.words.empty()) {
    std::string name = form.words[0].text;
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const auto job = world.jobs.find(name);
    if (job == world.jobs.end()) return;
    const CompiledForm& done = *job->second;
    chunk.bindings = {frontend::bind_variable(world.environment, name, done.type, &done).binding};
    return;
  }
  if (form.name != "load" || !form.exp) return;
  if (!is_text(compiled->type))
    return say(Severity::kError, "Bad type for load, expecting a character string.");
  const auto file = known_text(*form.exp, world);
  if (!file) {
    world.blamed.insert(frontend::all_of_prefix(""));  // it may define any name
    return say(Severity::kWarning, "which file this loads is known only when it runs; it is not checked");
  }
  std::string path = *file, why;
  auto text = world.read ? world.read(path, why) : std::nullopt;
  if (!text) return say(Severity::kError, why.empty() ? "File " + path + " does not exist." : why);
  if (std::find(world.files.begin(), world.files.end(), path) != world.files.end())
    return say(Severity::kError, "File " + path + " is not loaded: it loads itself.");
  if (!chunk.loaded || chunk.loaded_path != path) chunk.loaded = std::make_unique<NeslUnit>();
  chunk.loaded_path = path;
  chunk.loaded->read(std::move(*text), frontend::is_markdown(path), world);
  world.files.push_back(path);
  chunk.loaded->check(world);
  world.files.pop_back();
  std::size_t errors = 0;
  const std::string first = chunk.loaded->first_error(*file, errors);
  if (errors > 0)
    say(Severity::kError,
        first + (errors == 1 ? "" : ", and " + std::to_string(errors - 1) + " more in that file"));
}

namespace {

// As messages name it: from the program's folder.
std::string shown(const std::string& file, const NeslWorld& world) {
  const std::filesystem::path folder = std::filesystem::path(world.files.front()).parent_path();
  return std::filesystem::path(file).lexically_relative(folder).string();
}

// Checks it, once in a pass.
void check_module(NeslModule& module, const std::string& path, std::string text, NeslWorld& world) {
  check_stack();
  module.checked = true;
  if (!module.unit) module.unit = std::make_unique<NeslUnit>();
  module.unit->read(std::move(text), frontend::is_markdown(path), world);
  const frontend::Modules::Scope scope(world.environment);
  auto blamed = std::exchange(world.blamed, {});
  auto texts = std::exchange(world.texts, {});
  const bool outer = std::exchange(world.in_module, true);
  world.files.push_back(path);
  module.unit->check(world);
  module.unit->check_bodies(world);
  std::size_t errors = 0;
  module.error = module.unit->first_error(shown(path, world), errors);
  if (errors > 1) module.error += ", and " + std::to_string(errors - 1) + " more in that file";
  if (errors == 0) scope.keep(path);
  world.files.pop_back();
  world.in_module = outer;
  world.texts = std::move(texts);
  world.blamed = std::move(blamed);
}

}  // namespace

bool NeslUnit::import(NeslChunk& chunk, const Form& form, Diagnostics& diagnostics, NeslWorld& world) {
  chunk.module.clear();
  const auto import = frontend::read_import(form, diagnostics);
  chunk.prefix = import ? import->prefix : "";
  if (!import) return false;
  const auto say = [&](std::string text) {
    diagnostics.error(form.pos, std::move(text));
    return false;
  };
  const std::filesystem::path folder = std::filesystem::path(shown(world.files.back(), world)).parent_path();
  std::string path = (folder / import->file).lexically_normal().string(), why;
  auto text = world.read ? world.read(path, why) : std::nullopt;
  if (!text) return say(why.empty() ? "File " + path + " does not exist." : why);
  const auto open = std::find(world.files.begin(), world.files.end(), path);
  if (open != world.files.end()) {
    std::string chain;
    for (auto file = open; file != world.files.end(); ++file) chain += shown(*file, world) + " imports ";
    return say("modules cannot import each other: " + chain + shown(path, world));
  }
  NeslModule& module = world.modules[path];
  if (!module.checked) check_module(module, path, std::move(*text), world);
  if (!module.error.empty()) return say(module.error);
  frontend::Modules modules(world.environment);
  if (const std::string* other = modules.file_of(chunk.prefix); other != nullptr && *other != path)
    return say(chunk.prefix + " is " + shown(*other, world) + " already: import \"" + import->file +
               "\" as NAME; gives this module another name");
  modules.import(path, chunk.prefix);
  chunk.module = path;
  return true;
}

void NeslUnit::check_bodies(NeslWorld& world) {
  for (const Binding* binding : world.environment.without_body())
    for (const auto& chunk : chunks_)
      if (std::find(chunk->bindings.begin(), chunk->bindings.end(), binding) != chunk->bindings.end()) {
        std::string name = binding->name;
        for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        const std::size_t at = chunk->facts.defined.empty() ? 0 : chunk->facts.defined[0].span.begin;
        bodiless_.emplace_back(
            chunk.get(),
            ChunkMessage{Severity::kError, at, "no body for function " + name + ", which is only declared"});
      }
}

}  // namespace nvm::edit
