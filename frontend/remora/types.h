// Remora's indices and types in normal form. A dimension is a polynomial with natural coefficients over
// dimension variables and products of shape variables; a shape is a list of dimensions and shape variables; a
// type is an element type and a shape, or a variable that stands for both. Sections 4 and 5 of the language.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nvm::remora {

// What a variable stands for.
enum class Sort : std::uint8_t { kDim, kShape, kAtom, kArray };

using Var = std::int32_t;  // of one Variables
inline constexpr Var kNoVar = -1;

// A product of variables, sorted: dimensions, and shapes for the product of their dimensions. Empty: one.
using Monomial = std::vector<Var>;

struct Dim {
  std::map<Monomial, std::int64_t> terms;  // no coefficient is zero

  Dim() = default;
  explicit Dim(std::int64_t number) {
    if (number != 0) terms[{}] = number;
  }
  static Dim of(Var v) {
    Dim d;
    d.terms[{v}] = 1;
    return d;
  }
  [[nodiscard]] std::optional<std::int64_t> number() const;
  friend bool operator==(const Dim&, const Dim&) = default;
};

// Thrown where something reaches its bound: a coefficient the 64 bits, others those below. Names for types
// and indices can double at each definition, so a short text could ask for any size.
struct TooLarge {
  const char* what;  // "type", "shape", "dimension", "array"
};
inline constexpr std::size_t kMostTerms = 1000;    // of a dimension
inline constexpr std::size_t kMostFactors = 100;   // of a term
inline constexpr std::size_t kMostAxes = 1000;     // of a shape
inline constexpr std::size_t kMostNodes = 20'000;  // of a type, its dimensions included
inline constexpr int kMostHeight = 1000;           // of a type

[[nodiscard]] Dim plus(const Dim& a, const Dim& b);
[[nodiscard]] Dim times(const Dim& a, const Dim& b);
// Nothing if a coefficient would be negative.
[[nodiscard]] std::optional<Dim> minus(const Dim& a, const Dim& b);

// A piece of a shape: a shape variable, or a dimension.
struct Piece {
  Var shape = kNoVar;
  Dim dim = {};
  friend bool operator==(const Piece&, const Piece&) = default;
};
using Shape = std::vector<Piece>;

struct Atom;
using AtomRef = std::shared_ptr<const Atom>;

struct Type {
  Var array = kNoVar;  // if not kNoVar the whole type
  AtomRef atom;
  Shape shape;

  [[nodiscard]] std::size_t nodes() const;
};

enum class AtomKind : std::uint8_t {
  kInt,
  kFloat,
  kBool,
  kChar,
  kVar,
  kFunction,
  kForall,
  kPi,
  kSigma,
  kRecord
};

struct Atom {
  AtomKind kind = AtomKind::kInt;
  Var var = kNoVar;        // kVar
  std::vector<Var> bound;  // kForall, kPi, kSigma
  std::vector<Type>
      types;  // kFunction: parameters, then the result; binders: the body; kRecord: of the fields
  std::vector<std::string> names;  // kRecord, in alphabetical order
  std::size_t nodes = 1;           // set by atom_of()
  int height = 0;                  // the same

  [[nodiscard]] const Type& result() const { return types.back(); }
  [[nodiscard]] std::size_t arity() const { return types.size() - 1; }
};

// All atoms are made here; throws TooLarge.
[[nodiscard]] AtomRef atom_of(Atom atom);
[[nodiscard]] AtomRef base(AtomKind kind);
[[nodiscard]] AtomRef variable_type(Var v);
[[nodiscard]] AtomRef function_type(std::vector<Type> parameters, Type result);
[[nodiscard]] AtomRef binder(AtomKind kind, std::vector<Var> bound, Type body);
[[nodiscard]] inline Type scalar(AtomRef atom) { return {kNoVar, std::move(atom), {}}; }
[[nodiscard]] inline Type scalar(AtomKind kind) { return scalar(base(kind)); }
[[nodiscard]] Shape joined(Shape a, const Shape& b);
[[nodiscard]] inline Piece piece(Dim d) { return {kNoVar, std::move(d)}; }
[[nodiscard]] inline Piece piece(std::int64_t n) { return piece(Dim(n)); }

// What a variable is, and what it was found to be. An unknown is solved at most once.
struct Variable {
  Sort sort = Sort::kDim;
  std::string name;
  bool unknown = false;
  std::optional<Dim> dim = {};
  std::optional<Shape> shape = {};
  AtomRef atom = {};
  std::optional<Type> array = {};
};

class Variables {
 public:
  Var fresh(Sort sort, std::string name, bool unknown = false);
  [[nodiscard]] Var next() const { return static_cast<Var>(all_.size()); }
  // Those from `first` on are gone: nothing may mention them.
  void forget_from(Var first) { all_.resize(static_cast<std::size_t>(first)); }
  [[nodiscard]] const Variable& operator[](Var v) const { return all_[static_cast<std::size_t>(v)]; }
  [[nodiscard]] bool is_open(Var v) const;  // an unknown without a solution
  void solve(Var v, Dim dim) { at(v).dim = std::move(dim); }
  void solve(Var v, Shape shape) { at(v).shape = std::move(shape); }
  void solve(Var v, AtomRef atom) { at(v).atom = std::move(atom); }
  void solve(Var v, Type type) { at(v).array = std::move(type); }

  // With solutions in place of unknowns.
  [[nodiscard]] Dim resolved(const Dim& d) const;
  [[nodiscard]] Shape resolved(const Shape& s) const;
  [[nodiscard]] AtomRef resolved(const AtomRef& a) const;
  [[nodiscard]] Type resolved(const Type& t) const;
  // The product of a shape's dimensions.
  [[nodiscard]] Dim product(const Shape& s) const;

 private:
  Variable& at(Var v) { return all_[static_cast<std::size_t>(v)]; }
  std::vector<Variable> all_;
};

// What stands for bound variables.
struct Substitution {
  std::map<Var, Dim> dims;
  std::map<Var, Shape> shapes;
  std::map<Var, AtomRef> atoms;
  std::map<Var, Type> arrays;

  [[nodiscard]] Dim on(const Dim& d) const;
  [[nodiscard]] Shape on(const Shape& s) const;
  [[nodiscard]] AtomRef on(const AtomRef& a) const;
  [[nodiscard]] Type on(const Type& t) const;
  // The same variables, what stands for them changed.
  [[nodiscard]] Substitution on(Substitution s) const;
};

// Equality up to names of bound variables and order of fields; operands resolved.
[[nodiscard]] bool equal(const Type& a, const Type& b);
[[nodiscard]] bool equal(const AtomRef& a, const AtomRef& b);

// Whether there may be functions in values of the type.
[[nodiscard]] bool has_function(const Type& t);

// Calls see(v) for every variable that occurs, bound ones not.
using SeeVar = std::function<void(Var)>;
void visit(const Dim& d, const SeeVar& see);
void visit(const Shape& s, const SeeVar& see);
void visit(const Type& t, const SeeVar& see);
void visit(const Substitution& s, const SeeVar& see);  // in what stands for its variables

// As the language prints types (section 10): bound variables renamed, dimensions in normal form. `t`
// resolved.
[[nodiscard]] std::string print(const Type& t, const Variables& variables);
[[nodiscard]] std::string print(const Shape& s, const Variables& variables);
[[nodiscard]] std::string print(const Dim& d, const Variables& variables);

}  // namespace nvm::remora
