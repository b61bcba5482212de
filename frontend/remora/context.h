// What a checker goes by and adds to: the program so far, what names mean in it, types of the library.
#pragma once

#include <map>
#include <string_view>
#include <utility>

#include "frontend/remora/scope.h"

namespace nvm::remora {

// Read where they are first used.
class LibraryTypes {
 public:
  explicit LibraryTypes(Variables& variables) : variables_(variables) {}

  [[nodiscard]] const Type& of(std::int32_t row);
  // Of a bound variable of these types, a shape: the number of its axes; kNoVar if there is no rule.
  [[nodiscard]] Var axes(Var shape) const;
  // Nothing mentions these variables any more.
  void forget_from(Var first);

 private:
  struct Read {
    Type type;
    Var first = kNoVar;  // of its variables
  };
  void note_rule(std::string_view rule, const Atom& binder);

  Variables& variables_;
  std::map<std::int32_t, Read> types_;
  std::map<Var, Var> axes_;
};

struct Context {
  explicit Context(Program& p) : program(p), library(p.variables) {}

  // A form that defines what is given: a value of the type, which is written. Throws Error.
  void give(const Given& given);

  // What was added since a mark was made goes; names go with a level of the scope.
  struct Mark {
    std::size_t forms, values;
    Var variables;
  };
  [[nodiscard]] Mark mark() const;
  void roll_back(const Mark& to);
  void forget_variables(Var from);

  Program& program;
  Scope scope;
  LibraryTypes library;
};

}  // namespace nvm::remora
