// What the names of a text mean: the symbols that it defines or uses, and every place where one of them
// stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/edit/text.h"

namespace nvm::edit {

enum class SymbolKind : std::uint8_t {
  kFunction,
  kVariable,   // at top level
  kParameter,  // of a function
  kLocal,      // of a let, an apply-to-each, a lambda
  kDatatype,
  kTypeVariable,
  kBuiltin,
};

// One definition, or a built-in name. Strings live as long as the document is not changed.
struct Symbol {
  SymbolKind kind = SymbolKind::kLocal;
  std::string_view name;
  std::string_view type;           // "" if it is not known
  std::string_view documentation;  // of a built-in name: asked of the document
  std::string_view parameters;     // of a function, as they are written
  std::string_view file;           // in which it is defined; "" if that is this text
  Span defined;                    // its name there; empty for a built-in name
  Span form;                       // the definition around the name, of what is defined at top level
  bool declared_only = false;      // a declaration, whose definition is another symbol
  int group = 0;                   // definitions that have one name and are renamed together
};

struct Occurrence {
  Span span;
  int symbol = 0;
  bool defines = false;
  // The same word also is an occurrence of another symbol: `{v}` defines v and uses another v.
  bool shared = false;
  std::string_view type = {};  // of this use, if it differs from the symbol's
};

// A type that the text leaves out, to be shown behind a place.
struct Inlay {
  std::size_t at = 0;
  std::string_view type;
};

struct Index {
  std::vector<Symbol> symbols;
  std::vector<Occurrence> occurrences;  // in the order of the text
  std::vector<Inlay> inlays;

  // The first one that contains the offset or ends there; null if there is none.
  [[nodiscard]] const Occurrence* at(std::size_t offset) const;
  // All occurrences of a group, in order.
  [[nodiscard]] std::vector<const Occurrence*> of_group(int group) const;
  void sort();
};

}  // namespace nvm::edit
