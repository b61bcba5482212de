// The syntax tree of NESL: what the parser builds, the type checker annotates and the specialiser reads.
// Names are lower case throughout (NESL ignores case). Operators are calls of the built-in function of that
// name: a + b is +(a, b), a[i] is elt(a, i), -a is negate(a), [s:e:d] is iseq(s, d, e), {* ...} is map(...).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bytecode/base/diagnostic.h"

namespace nvm::frontend {

struct Type;     // types.h
struct Binding;  // environment.h
struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

// name, (p1, p2, ...), record(p) or _ (matches anything, binds nothing).
struct Pattern {
  enum class Kind : std::uint8_t { kName, kTuple, kRecord, kWildcard };
  Kind kind = Kind::kWildcard;
  SourcePos pos;
  std::string name;                 // kName: the variable; kRecord: the datatype
  std::vector<Pattern> items;       // kTuple: two or more components; kRecord: one
  const Binding* record = nullptr;  // kRecord, set by the checker: the datatype's constructor
};

// int, name(T, ...), [T], T1, T2, T1 -> T2.
struct TypeExpr {
  enum class Kind : std::uint8_t { kName, kSeq, kTuple, kFn };
  Kind kind = Kind::kName;
  SourcePos pos;
  std::string name;             // kName
  std::vector<TypeExpr> items;  // kName: arguments; kSeq: one; kTuple: two or more; kFn: argument, result
};

// T :: (a in any; b in number)
struct TypeSig {
  struct ClassBinding {
    SourcePos pos;
    std::string variable;
    std::string type_class;
  };
  TypeExpr type;
  std::vector<ClassBinding> classes;
};

struct Keyword {  // name := value in a call or a command
  std::string name;
  SourcePos pos;
  ExprPtr value;
};

struct LetBinding {
  Pattern pattern;
  ExprPtr value;
};

struct Generator {
  Pattern pattern;
  ExprPtr
      source;  // `name` alone stands for `name in name`; in a bodyless each the first may be any expression
};

enum class ExprKind : std::uint8_t {
  kInt,      // int_value
  kFloat,    // float_value
  kBool,     // int_value 0 or 1; text: t or f if written so, which makes it a kName where such a variable is
  kChar,     // int_value, 0..255
  kString,   // text
  kName,     // text; global
  kTuple,    // items, two or more
  kSeq,      // items, one or more: [e1, e2, ...]
  kEmpty,    // type_expr: [] T; null if the type is inferred
  kCall,     // items: function, argument; keywords
  kIf,       // items: condition, then, else
  kLet,      // bindings; items: body
  kEach,     // generators; body and sieve (either may be absent)
  kLambda,   // pattern; items: body
  kClosure,  // items: function, first component of its argument
  kTime,     // items: the timed expression; value (v, seconds)
  kDefault,  // target: a default argument left out of a call, seen from no local scope (made by the checker)
};

struct Expr {
  ExprKind kind = ExprKind::kInt;
  bool builtin = false;      // kName written as an operator: never a local variable
  bool serial = false;       // kEach written {* ...}
  std::uint16_t depth = 0;   // height of the tree, bounded by kMaxHeight
  std::uint32_t source = 0;  // kLambda: Source::number
  SourcePos pos;
  std::int64_t int_value = 0;
  double float_value = 0;
  std::string text;
  std::vector<ExprPtr> items;
  std::vector<Keyword> keywords;
  std::vector<LetBinding> bindings;
  std::vector<Generator> generators;
  ExprPtr body, sieve;
  Pattern pattern;
  std::unique_ptr<TypeExpr> type_expr;
  const Expr* target = nullptr;

  // Set by the checker.
  const Type* type = nullptr;         // may contain variables of the definition it stands in
  Binding* global = nullptr;          // kName: the global meant; null for a local variable
  std::vector<std::string> captured;  // kLambda: the local variables of its body that are bound outside it
};

// Deepest nesting of expressions, patterns and types in the text, and greatest height of the trees (a chain
// of operators nests in the tree, not in the text); beyond them the parser reports an error.
inline constexpr int kMaxDepth = 1000;
inline constexpr int kMaxHeight = 2500;
inline constexpr std::size_t kBindingsPerLevel = 4;  // of a LET: their passes need less stack than others

enum class FormKind : std::uint8_t {
  kFunction,    // function NAME PATTERN [: SIG] [DOC] = EXP
  kForward,     // function NAME PATTERN : SIG
  kDatatype,    // datatype NAME SIG
  kBind,        // PATTERN = EXP
  kFileBind,    // PATTERN |= EXP
  kBackground,  // NAME &= EXP {, KEY := EXP}
  kDefconfig,   // defconfig NAME {, KEY := EXP}
  kExpr,        // EXP
  kCommand,     // NAME {WORD} [EXP] {, KEY := EXP}
};

// A token of a command as written (strings without quotes).
struct Word {
  std::string text;
  SourcePos pos;
  bool is_string = false;
};

struct Form {
  FormKind kind = FormKind::kExpr;
  std::uint32_t source = 0;  // Source::number
  SourcePos pos;
  std::string name;  // kFunction, kForward, kDatatype, kBackground, kDefconfig; kCommand: the command word
  SourcePos name_pos;
  Pattern pattern;                // kFunction, kForward: the parameter; kBind, kFileBind
  std::vector<Keyword> defaults;  // kFunction: default values of the last components of the parameter
  std::unique_ptr<TypeSig> sig;
  std::string doc;
  ExprPtr exp;  // body or value; kCommand: the argument of load and dump vcode
  std::vector<Keyword> keywords;
  std::vector<Word> words;  // kCommand: what follows the command word
  std::string text;         // the form as written, terminator excluded
};

}  // namespace nvm::frontend
