// Core code: the monomorphic, first-order language that the front ends of languages translate into (that of
// NESL in frontend/nesl/specialise.h) and flattening turns into vector code. Records are erased to their
// components, function values to the values they captured, patterns to projections; every variable of a
// function has a number of its own.
//
// Meaning. Strict; arguments from left to right. Inside a kEach, instances run in lock step. A sieve is
// evaluated first and its body only for the instances that pass. A conditional evaluates a branch only for
// the instances that take it. Expressions whose value does not depend on the instance are evaluated once,
// except that effects (random numbers, input, output) happen once per instance.
//
// Places. Expr::line is the place in the user's text, 0 for code of a language's library; run-time errors in
// such code are reported at the calls that led to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bytecode/program/origin.h"

namespace nvm::frontend::core {

enum class TypeKind : std::uint8_t {
  kUnit,  // no slots: what is left of a function value that captured nothing
  kInt,
  kFloat,
  kBool,
  kChar,
  kSeq,   // a: element
  kPair,  // a, b; longer tuples nest to the right
};

struct Type {
  TypeKind kind = TypeKind::kUnit;
  const Type* a = nullptr;
  const Type* b = nullptr;
  int height = 1;
  bool has_sequences = false;
};

inline constexpr int kMaxTypeHeight = 2500;
// Types are shared for the life of the process: equal types are the same object. Thread-safe. Throws TooDeep
// above kMaxTypeHeight.
[[nodiscard]] const Type* base_type(TypeKind kind);
[[nodiscard]] const Type* seq_type(const Type* element);
[[nodiscard]] const Type* pair_type(const Type* a, const Type* b);
// "[(int, float)]"
[[nodiscard]] std::string type_text(const Type* type);

enum class Prim : std::uint8_t {
#define PRIM(id, name, place, effect) id,
#include "frontend/prims.def"
};

// Where a primitive may stand: anywhere, or only outside of kEach.
enum class Place : std::uint8_t { kAnywhere, kSerial };
// kTotal: no instance can go wrong; kFaults: some arguments are run-time errors; kEffect: reads or changes
// state, never moved, repeated or dropped.
enum class PrimEffect : std::uint8_t { kTotal, kFaults, kEffect };

struct PrimInfo {
  Prim prim;
  const char* name;
  Place place;
  PrimEffect effect;
};
[[nodiscard]] const PrimInfo& prim_info(Prim prim);
[[nodiscard]] const std::vector<PrimInfo>& all_prims();

enum class ExprKind : std::uint8_t {
  kVar,     // id: variable
  kUnit,    //
  kInt,     // number
  kFloat,   // real
  kBool,    // number 0 or 1
  kChar,    // number
  kString,  // text: a sequence of char
  kEmpty,   // an empty sequence of `type`
  kInput,   // id: number of a top-level variable, whose value the run is given (emit.h)
  kLet,     // id: variable; kids: its value, body
  kIf,      // kids: condition, then, else
  kCall,    // id: function; kids: argument
  kPrim,    // prim; kids: argument (one value, a tuple where the primitive's type says so)
  kPair,    // kids: a, b
  kFirst,   // kids: a pair
  kSecond,  // kids: a pair
  kSeq,     // kids: the elements, one or more
  kEach,    // vars; kids: one sequence per variable, body, and the sieve if `sieve`
  kTime,    // kids: e; value (e, seconds)
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  ExprKind kind = ExprKind::kUnit;
  const Type* type = nullptr;
  Origin line = 0;
  std::int32_t id = 0;
  Prim prim = Prim::kAdd;
  bool sieve = false;
  std::int64_t number = 0;
  double real = 0;
  std::string text = {};
  std::vector<std::int32_t> vars = {};
  std::vector<ExprPtr> kids = {};

  Expr() = default;
  Expr(const Expr&) = delete;
  Expr& operator=(const Expr&) = delete;
  ~Expr();
};

struct Variable {
  const Type* type = nullptr;
  std::string name;  // for listings
};

// Takes one argument, the value of variable `param`.
struct Function {
  std::string name;  // as in the source
  bool builtin = false;
  Origin line = 0;
  std::vector<Variable> variables;
  std::int32_t param = 0;
  ExprPtr body;
};

struct Program {
  std::vector<Function> functions;
  std::int32_t entry = 0;             // its parameter has type unit
  std::vector<std::uint32_t> inputs;  // the top-level variables in it, each once
  // The language's types and its own kChecks say that primitives get what they take; they need not look.
  bool sound = false;
};

// Stack slots of a value: base 1, sequence 1 (descriptor) + element, pair a + b.
[[nodiscard]] int slot_count(const Type* type);

}  // namespace nvm::frontend::core
