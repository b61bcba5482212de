// Elements of a vector, each made where it is read: a gather of a map is a map of gathers, so what is read
// once, in whatever order, need not be made before. Copied are total operations only; and since the
// language's types say that no place is outside of its vector, an element that nobody reads has no error.
#pragma once

#include <map>
#include <optional>

#include "frontend/remora/code.h"

namespace nvm::remora {

class Elements {
 public:
  // Looks into what was bound where code is built now, and would not be made more often for being copied
  // further inside.
  Elements(Coder& code, Code vector) : code_(code), bindings_(code), vector_(vector) {}

  // Of the vector as so many rows, each from its first element to its last: its columns. Once.
  Code columns(Code rows, Code columns);

 private:
  using Expr = frontend::core::Expr;
  // Of code that is copied: what its variables stand for, and what it binds others to.
  struct Scope {
    std::map<std::int32_t, Code> codes = {};
    std::map<std::int32_t, const Expr*> lets = {};
  };
  struct Cell {
    Code row, column, columns;
  };
  // As a number and, where that is known, as a cell.
  struct Place {
    Code number;
    const Cell* cell = nullptr;
  };
  // An apply-to-each whose results are vectors of one length: `row` in the scope of its body.
  struct Nest {
    const Expr* each;
    const Expr* row;
    Scope inside = {};
    Code length = {};
  };

  Code element(const Code& vector, const Place& place);
  Code element(const Expr& vector, Scope& in, const Place& place);
  Code copied(const Expr& made, Scope& in, const Place& place);
  Code element_of(Nest nest, const Place& place);
  Code value(const Expr& e, Scope& in);
  [[nodiscard]] bool copies(const Expr& made) const;
  [[nodiscard]] bool same(const Code& a, const Code& b) const;
  [[nodiscard]] bool same(const Expr& a, const Expr& b) const;
  [[nodiscard]] std::optional<Nest> nest(const Expr& flattened) const;

  Coder& code_;
  Bindings bindings_;
  Code vector_;
  int left_ = 16;  // maps that may be copied
};

}  // namespace nvm::remora
