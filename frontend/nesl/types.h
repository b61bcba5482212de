// NESL types as the checker sees them: Hindley-Milner terms with class-carrying variables, in which a
// function type names the function meant. Because every function value has one identity known at compile
// time, calls through parameters are resolved by specialisation and no value of function type exists at run
// time beyond the variables it captured.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "frontend/nesl/ast.h"

namespace nvm::frontend {

enum class TypeKind : std::uint8_t {
  kInt,
  kFloat,
  kBool,
  kChar,
  kSeq,       // args: element
  kPair,      // args: first, second; longer tuples nest to the right
  kRecord,    // args: type arguments; datatype
  kFn,        // args: argument, result, identity
  kIdentity,  // args: types of the captured values; which function: binding or lambda
  kVar,       // type_class, link
};

// number < ordinal < scalar < any, logical < scalar.
enum class TypeClass : std::uint8_t { kAny, kScalar, kOrdinal, kNumber, kLogical };

struct Datatype {
  std::string name;
  std::vector<const Type*> params;  // the type variables in order of declaration, then `hidden`
  std::size_t hidden = 0;           // identities of the functions among the components; no text shows them
  const Type* content = nullptr;    // component type over params
  std::size_t size = 0;             // of the content, see size_up_to(); a parameter counts one
  std::vector<std::size_t> uses;    // by parameter: how often it stands in there
  // Sets the content, and a parameter for each function in it. Requires: it is no large type.
  void hold(const Type* components);
  [[nodiscard]] std::size_t shown() const { return params.size() - hidden; }
};

struct Type {
  TypeKind kind = TypeKind::kInt;
  TypeClass type_class = TypeClass::kAny;  // kVar
  bool rigid = false;                      // kVar of a signature: stands for every type of its class
  std::vector<const Type*> args = {};
  const Datatype* datatype = nullptr;  // kRecord
  const Binding* binding = nullptr;    // kIdentity of a named function
  const Expr* lambda = nullptr;  // kIdentity of a lambda or of closure(f, a) (args: f's identity, type of a)
  mutable const Type* link = nullptr;  // kVar: what it was unified with
  std::size_t parts = 0;  // as size_up_to() counts; 0 if there was a variable in it when it was made
  // Whether args[i] is the type of something in its values; a record may have parameters that it does not
  // use.
  [[nodiscard]] bool holds(std::size_t i) const {
    return kind != TypeKind::kRecord || datatype->uses.empty() || datatype->uses[i] > 0;
  }
};

// Makes types and keeps them alive. Base types are shared; a type lives as long as its arena.
class TypeArena {
 public:
  [[nodiscard]] static const Type* base(TypeKind kind);
  const Type* seq(const Type* element);
  const Type* pair(const Type* first, const Type* second);
  const Type* tuple(const std::vector<const Type*>& items);  // two or more
  const Type* fn(const Type* argument, const Type* result, const Type* identity);
  const Type* record(const Datatype* datatype, std::vector<const Type*> args);
  const Type* named_identity(const Binding* binding);
  const Type* lambda_identity(const Expr* lambda, std::vector<const Type*> captured);
  const Type* var(TypeClass type_class = TypeClass::kAny, bool rigid = false);
  Datatype* datatype();

 private:
  const Type* add(Type type);
  std::deque<Type> types_;
  std::deque<Datatype> datatypes_;
};

// Follows links of unified variables at the root.
[[nodiscard]] const Type* resolve(const Type* type);

// How many of the arguments of a resolved type are shown to users; what identifies functions is not.
[[nodiscard]] std::size_t shown_args(const Type* type);

// Same constructor, same number of arguments; a replaced function is the same as its replacement.
[[nodiscard]] bool same_head(const Type* a, const Type* b);

// Whether every value of class `a` is one of class `b`.
[[nodiscard]] bool class_within(TypeClass a, TypeClass b);
// Of the types that instructions take.
[[nodiscard]] bool in_class(TypeKind kind, TypeClass type_class);
// Of all types: sequences, pairs, records and truth values are in order, too, which the prelude sees to.
[[nodiscard]] bool belongs(TypeKind kind, TypeClass type_class);
[[nodiscard]] const char* class_name(TypeClass type_class);
// Reads "number", "ordinal", "scalar", "logical", "any"; false for anything else.
bool read_class(const std::string& name, TypeClass& out);

// Unification with undo: a failed unify leaves all types as they were.
class Unifier {
 public:
  bool unify(const Type* a, const Type* b);

 private:
  bool merge(const Type* a, const Type* b);
  bool merge_var(const Type* var, const Type* other);
  bool merge_vars(const Type* a, const Type* b);
  bool bind(const Type* var, const Type* to);
  std::vector<const Type*> trail_;
};

// `type` with every unbound variable (rigid or not) replaced by a fresh flexible one, consistently.
const Type* instantiate(TypeArena& arena, const Type* type);
// The same, sharing nothing with `type` but base types: what may outlive the arena of `type`.
const Type* renew(TypeArena& arena, const Type* type);
// A type with the arena that it lives in.
using OwnedType = std::shared_ptr<const Type>;
[[nodiscard]] OwnedType own(const Type* type);
// `type` with the variables `from[i]` replaced by `to[i]`.
const Type* substitute(TypeArena& arena, const Type* type, const std::vector<const Type*>& from,
                       const std::vector<const Type*>& to);
// The type of the components of a record value.
const Type* record_content(TypeArena& arena, const Type* record);
// Equal up to renaming of unbound variables, classes included; identities of functions do not count.
[[nodiscard]] bool same_type(const Type* a, const Type* b);
// Constructors and variables in `type` as a tree, records with what they hold, or `limit` (1 or more) if
// there are more: shared parts can make it exponentially large. Cost: what is written, not what records hold.
[[nodiscard]] std::size_t size_up_to(const Type* type, std::size_t limit);
[[nodiscard]] bool occurs(const Type* variable, const Type* type);
// Adds the variables in `type`, once for each place that they stand at.
void variables_of(const Type* type, std::vector<const Type*>& found);
// A function occurs in it.
[[nodiscard]] bool contains_function(const Type* type);

// As shown to users: "(a, a) -> bool :: (a in ordinal)". Variables are named a, b, c, ... (a0, a1, ... if
// more than five) in order of appearance.
[[nodiscard]] std::string print_type(const Type* type);
// The same without the class context, naming variables on from earlier calls; for messages that show several.
class TypePrinter {
 public:
  std::string print(const Type* type);
  [[nodiscard]] std::string context() const;  // " :: (a in any)" or ""

 private:
  friend std::string print_type(const Type* type);
  void collect(const Type* type);
  void print_into(std::string& out, const Type* type, int place);
  [[nodiscard]] std::string name_of(const Type* var) const;
  std::vector<const Type*> vars_;
};

// Stack slots a value of the type takes: one per flat vector (base 1, sequence 1 + element, pair sum, record
// as its content, function: its captured values).
[[nodiscard]] int slot_count(TypeArena& arena, const Type* type);

}  // namespace nvm::frontend
