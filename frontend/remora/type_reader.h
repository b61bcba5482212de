// Trees to types and indices (sections 3 to 5). Throws Error of the kinds syntax, unbound-type,
// unbound-index, sort, kind and duplicate.
#pragma once

#include <span>
#include <variant>

#include "frontend/remora/scope.h"

namespace nvm::remora {

class TypeReader {
 public:
  TypeReader(Scope& scope, Variables& variables) : scope_(scope), variables_(variables) {}

  [[nodiscard]] Type type(const Tree& t);
  [[nodiscard]] AtomRef atom(const Tree& t);  // an element type
  [[nodiscard]] Dim dim(const Tree& t);
  [[nodiscard]] Shape shape(const Tree& t);
  // Pieces that are written one after another, spliced.
  [[nodiscard]] Shape spliced(std::span<const Tree> pieces);
  // Binds the names of a binder in the current level of the scope, each a variable of the sort that its name
  // says.
  std::vector<Var> bind_types(const Tree& names);
  std::vector<Var> bind_indices(const Tree& names);
  std::vector<Var> bind_types(std::span<const Tree> names);
  std::vector<Var> bind_indices(std::span<const Tree> names);

 private:
  using Index = std::variant<Dim, Shape>;
  [[nodiscard]] Index index(const Tree& t);
  [[nodiscard]] Index named(const Tree& t);
  [[nodiscard]] Type form(const Tree& t);
  [[nodiscard]] Type bound(AtomKind kind, const Tree& t);
  [[nodiscard]] Type record(const Tree& t);
  std::vector<Var> bind(std::span<const Tree> names, bool types);

  Scope& scope_;
  Variables& variables_;
};

[[nodiscard]] bool is_word(const Tree& t,
                           std::string_view words);  // one of the words, which have blanks between them
[[nodiscard]] std::string name_of(const Tree& t, std::string_view what);
// A type that is written as that of an array, also of one without axes.
[[nodiscard]] bool is_array_type(const Tree& t);
// Faults at the first part too many, or where these brackets begin, unless they have so many parts; `shape`
// is how it is written.
void parts(const Tree& t, std::size_t n, std::string_view shape, Tree::Kind brackets = Tree::Kind::kRound);

}  // namespace nvm::remora
