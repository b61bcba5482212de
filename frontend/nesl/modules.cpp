#include "frontend/nesl/modules.h"

#include <algorithm>
#include <utility>

#include "bytecode/base/ascii.h"
#include "frontend/nesl/lexer.h"

namespace nvm::frontend {

namespace {

// "lib/Stats.nesl" is stats.
std::string stem(const std::string& file) {
  const std::size_t folder = file.find_last_of('/');
  const std::string name = folder == file.npos ? file : file.substr(folder + 1);
  return lower(name.substr(0, name.find('.')));
}

bool is_name(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_", kDigits = "0123456789";
  if (text.empty() || kDigits.find(text[0]) != kDigits.npos || is_reserved(text)) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return kLetters.find(c) != kLetters.npos || kDigits.find(c) != kDigits.npos;
  });
}

}  // namespace

bool is_import(const Form& form) { return form.kind == FormKind::kCommand && form.name == "import"; }

std::optional<Import> read_import(const Form& form, Diagnostics& diagnostics) {
  const std::vector<Word>& words = form.words;  // the first one is a string, or it were no import
  const bool renamed = words.size() == 3 && !words[1].is_string && lower(words[1].text) == "as";
  if (words.size() != 1 && (!renamed || words[2].is_string)) {
    diagnostics.error(words[1].pos, "expected import \"FILE\"; or import \"FILE\" as NAME;");
    return std::nullopt;
  }
  Import import{words[0].text, renamed ? lower(words[2].text) : stem(words[0].text)};
  if (is_name(import.prefix)) return import;
  if (renamed)
    diagnostics.error(words[2].pos, words[2].text + " cannot be the name of a module");
  else
    diagnostics.error(words[0].pos, "the name of this file is no name of NESL: import \"" + import.file +
                                        "\" as NAME; gives it one");
  return std::nullopt;
}

std::string_view prefix_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == name.npos ? std::string_view() : name.substr(0, dot);
}

Modules::Scope::Scope(Environment& environment) : environment_(environment) {
  environment.outer_.push_back(std::exchange(environment.names_, {}));
}

Modules::Scope::~Scope() {
  environment_.names_ = std::move(environment_.outer_.back());
  environment_.outer_.pop_back();
}

void Modules::Scope::keep(const std::string& file) const {
  Environment::Names& module = environment_.modules_[file] = environment_.names_;
  const auto foreign = [](const auto& name) { return name.first == "it" || !prefix_of(name.first).empty(); };
  std::erase_if(module.values, foreign);
  std::erase_if(module.types, foreign);
}

const std::string* Modules::file_of(std::string_view prefix) const {
  const auto found = environment_.names_.prefixes.find(prefix);
  return found == environment_.names_.prefixes.end() ? nullptr : &found->second;
}

void Modules::import(const std::string& file, const std::string& prefix) {
  const Environment::Names& module = environment_.modules_.at(file);
  Environment::Names& names = environment_.names_;
  for (const auto& [name, binding] : module.values) names.values[all_of_prefix(prefix) + name] = binding;
  for (const auto& [name, datatype] : module.types) names.types[all_of_prefix(prefix) + name] = datatype;
  names.prefixes[prefix] = file;
}

Unknown Modules::unknown(const std::string& name, const Diagnostics& diagnostics) const {
  const std::string prefix(prefix_of(name));
  if (diagnostics.blamed(name) || diagnostics.blamed(all_of_prefix(prefix))) return {true, ""};
  if (prefix.empty() || file_of(prefix) != nullptr) return {};
  return {false, upper(prefix) +
                     " is no module; the parts of a record are had by a pattern, as in let point(x, "
                     "y) = p in x, and a module is made known by import \"" +
                     prefix + ".nesl\";"};
}

void Modules::drop_withdrawn() {
  const auto withdrawn = [](const auto& name) { return name.second->superseded; };
  const auto dropped = std::erase_if(environment_.modules_, [&](const auto& module) {
    const auto& values = module.second.values;
    return std::any_of(values.begin(), values.end(), withdrawn);
  });
  if (dropped == 0) return;
  Environment::Names& names = environment_.names_;
  const auto unknown = [&](const auto& prefix) { return !knows(prefix.second); };
  const auto its = [&](const auto& name) {
    const std::string* file = file_of(prefix_of(name.first));
    return file != nullptr && !knows(*file);
  };
  std::erase_if(names.values, its);
  std::erase_if(names.types, its);
  std::erase_if(names.prefixes, unknown);
}

}  // namespace nvm::frontend
