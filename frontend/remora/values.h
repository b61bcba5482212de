// What the translator knows of values: their types, their code and the functions in them.
//
// Representation. An array of rank 0 is its atom, every other array the sequence of its atoms in row-major
// order; a shape is never stored. int, char: INT; float; bool. A record: the tuple of its fields. A box: the
// tuple of its witnesses (a number for a dimension, a sequence of numbers for a shape) and of its content. A
// function: what it captured; if several may be meant, which one, and what each of them captured.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "frontend/remora/code.h"
#include "frontend/remora/program.h"

namespace nvm::remora {

struct Environment;
struct Candidate;
struct Meaning;
using MeaningRef = std::shared_ptr<const Meaning>;

// The functions in a value, by the structure of its type. Null: none.
struct Meaning {
  std::vector<Candidate> candidates;  // of a function or an abstraction
  std::vector<MeaningRef> parts;      // of a record's fields, of a box's content

  // Functions in it, those that were captured included.
  [[nodiscard]] std::size_t size() const { return size_; }
  // Which of the candidates; it must be one of them.
  [[nodiscard]] std::size_t number_of(const Candidate& c) const;
  void measure();

 private:
  std::size_t size_ = 1;
};
// Of a meaning; what grows from step to step has no bound of its own.
inline constexpr std::size_t kMostFunctions = 500;

// What a function captured.
struct Captured {
  ValueId value = -1;              // a value, or
  Var index = kNoVar;              // the number of an index variable, or
  const Expr* function = nullptr;  // nothing: `value` is this function, which sees what was captured
  Type type = {};
  MeaningRef meaning = {};
};

// A function that a value may be.
struct Candidate {
  const Expr* expr = nullptr;          // kLambda, kTypeLambda, kIndexLambda, kLibrary, kIfFunction
  const Environment* scope = nullptr;  // where it stands
  bool packed = false;                 // its code is what it captured; else its scope is still in force
  std::vector<Captured> captured = {};
  std::vector<Shape> indices = {};  // kLibrary: what it was instantiated with
  std::vector<Type> types = {};
};

struct Val {
  Type type;  // resolved, of variables that have numbers at run time
  Code code = {};
  MeaningRef meaning = {};

  // A function whose scope is still in force: no code.
  [[nodiscard]] bool in_force() const {
    return code.type == nullptr && meaning != nullptr && !meaning->candidates.empty();
  }
};

struct Environment {
  const Environment* outer = nullptr;
  Substitution substitution = {};  // for the bound variables of types, those that have numbers here
  std::map<ValueId, Val> values = {};
  std::vector<Var> bound = {};  // of an abstraction that is instantiated here
  bool top = false;             // what it binds can be used everywhere

  [[nodiscard]] bool instantiates() const { return !bound.empty(); }
  // Where a value is bound, null: nowhere.
  [[nodiscard]] const Environment* where(ValueId value) const {
    const Environment* e = this;
    while (e != nullptr && e->values.count(value) == 0) e = e->outer;
    return e;
  }
};

[[nodiscard]] inline bool is_scalar(const Type& t) { return t.shape.empty(); }
[[nodiscard]] inline MeaningRef part_of(const MeaningRef& m, std::size_t k) {
  return m != nullptr && k < m->parts.size() ? m->parts[k] : nullptr;
}
// Null if there is none in the parts.
[[nodiscard]] MeaningRef meaning_of_parts(std::vector<MeaningRef> parts);
[[nodiscard]] MeaningRef meaning_of(Candidate c);
// The same function, with values of one representation captured.
[[nodiscard]] bool same(const Candidate& a, const Candidate& b);
[[nodiscard]] bool same(const MeaningRef& a, const MeaningRef& b);
[[nodiscard]] MeaningRef united(const MeaningRef& a, const MeaningRef& b);

}  // namespace nvm::remora
