// Prints the reference of built-in names in docs/builtins.md: the primitives and what users can name of the
// prelude, with the parameters, types and documentation that stand there.
#include <array>
#include <cctype>
#include <iostream>
#include <string>
#include <string_view>

#include "frontend/nesl/ast.h"
#include "frontend/nesl/environment.h"
#include "frontend/nesl/examples.h"
#include "frontend/nesl/parser.h"
#include "frontend/nesl/prelude.h"
#include "frontend/nesl/prims.h"

namespace {

using nvm::frontend::Binding;
using nvm::frontend::BindingKind;
using nvm::frontend::PreludeEntry;
using nvm::frontend::Primitive;
using nvm::frontend::core::Prim;

// In which section of the prelude the primitives stand, from the named one on.
struct Place {
  Prim first;
  std::string_view section;
};
constexpr std::array kPlaces{Place{Prim::kAdd, "scalars"}, Place{Prim::kSelect, "all types"},
                             Place{Prim::kLength, "sequences"}, Place{Prim::kRank, "sorting and searching"},
                             Place{Prim::kPrintString, "output"}};

std::string_view section_of(Prim prim) {
  std::string_view section;
  for (const Place& place : kPlaces)
    if (prim >= place.first) section = place.section;
  return section;
}

bool internal(std::string_view name) {
  return name.find("__") != std::string_view::npos || name.starts_with("prim_");
}

// One line of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

void row(std::string_view name, std::string_view type, std::string_view meaning, bool serial,
         const nvm::frontend::Example* example = nullptr) {
  std::cout << "| `" << cell(name) << "` | `" << cell(type) << "` | " << cell(meaning)
            << (serial ? " Not within an apply-to-each." : "");
  if (example != nullptr) std::cout << " " << cell(markdown(*example)) << ".";
  std::cout << " |\n";
}

void primitives(std::string_view section) {
  for (const Primitive& p : nvm::frontend::all_primitives())
    if (!internal(p.name()) && section_of(p.prim) == section)
      row(std::string(p.name()) + "(" + p.parameters + ")", p.type, p.doc, p.serial(),
          nvm::frontend::example_of(p.name()));
}

// What stands behind `=` in the definition of a constant.
std::string value_of(std::string_view text) {
  text.remove_prefix(text.find('=') + 2);
  text = text.substr(0, text.rfind(';'));
  if (text.find('`') == std::string_view::npos) return "`" + std::string(text) + "`";
  return "`` " + std::string(text) +
         " ``";  // a backquote is a character too; one space on each side is dropped
}

// False if nothing says what the name means.
bool definition(const Binding& b, const PreludeEntry& entry) {
  const std::string type = print_type(b.type);
  switch (b.kind) {
    case BindingKind::kVariable: row(b.name, type, value_of(entry.text), false); return true;
    case BindingKind::kConstructor: row(b.name, type, "Datatype.", false); return true;
    default: break;
  }
  const std::string pattern = print_pattern(b.form->pattern);
  row(b.name + (pattern.starts_with("(") ? pattern : "(" + pattern + ")"), type, b.form->doc, b.serial,
      nvm::frontend::example_of(b.name));
  return !b.form->doc.empty();
}

// A declaration has a definition; without one it is resolved by types.
bool defined_later(const PreludeEntry& declaration) {
  for (const PreludeEntry& entry : nvm::frontend::prelude_entries())
    if (!entry.forward && entry.name == declaration.name) return true;
  return false;
}

// The title in a line `% ------ title %`, "" in another.
std::string title(std::string_view line) {
  constexpr std::string_view kBegin = "% ----";
  if (!line.starts_with(kBegin)) return "";
  line.remove_prefix(line.find_first_not_of("% -"));
  return std::string(line.substr(0, line.find(" %")));
}

void head(const std::string& section) {
  std::string text = section;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  std::cout << "## " << text << "\n\n| name | type | meaning |\n| --- | --- | --- |\n";
  primitives(section);
}

}  // namespace

int main() {
  nvm::frontend::Environment environment;
  std::string_view text = nvm::frontend::prelude_text();
  auto entry = nvm::frontend::prelude_entries().begin();
  const auto end = nvm::frontend::prelude_entries().end();
  bool complete = true, first = true;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string section = title(text.substr(0, text.find('\n')));
    if (!section.empty()) {
      std::cout << (first ? "" : "\n");
      head(section);
      first = false;
    }
    if (entry != end && entry->line == line) {
      if (!internal(entry->name) && (!entry->forward || !defined_later(*entry)))
        complete = definition(*environment.find(entry->name), *entry) && complete;
      ++entry;
    }
    text.remove_prefix(text.find('\n') + 1);
  }
  if (!complete) std::cerr << "a function of the prelude has no documentation\n";
  return complete && entry == end ? 0 : 1;
}
