// A checked Remora program: every application with its frames and instantiations written out, every name
// resolved.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frontend/remora/tree.h"
#include "frontend/remora/types.h"

namespace nvm::remora {

struct Expr;
using ExprRef = std::shared_ptr<Expr>;
using ValueId = std::int32_t;  // of Program::values

enum class ExprKind : std::uint8_t {
  kNumbers,  // `numbers` or `reals` in row-major order, in the shape of the type: literals, strings
  kValue,    // `value`
  kLibrary,  // `library`: a row of library.def
  kFrame,    // kids stacked in `counts`; without kids one count is 0
  kApply,  // kids[0] applied to the others; `cells`: of each kid the pieces of its shape that its cell takes;
           // `frame`
  kLambda,       // `parameters`, kids[0]
  kTypeLambda,   // `bound`, kids[0]
  kIndexLambda,  // the same
  kInstantiate,  // kids[0] with `types` or, if there are none, `indices`: of each element of an array
  kLet,         // `parameters` bound to all kids but the last, one after another or, if `recursive`, together
  kIf,          // kids: condition (a scalar bool), then, else
  kIfFunction,  // if{T | } as a function
  kBoxes,       // `counts`; kids: contents; `indices`: of each its witnesses, one after another
  kUnbox,       // kids: boxes, body; parameters[0] the contents, `bound` the witnesses
  kLift,        // kids: numbers, body; bound[0]
  kReshape,     // kids[0] in indices[0]
  kReify,       // indices[0]; `dimension`: a number, else a vector, boxed if its rank is not known
  kRecord,      // kids: of the fields in the order of the type's names; `cells` as of kApply, `frame`
  kView,        // field `names` of kids[0]
  kSet,         // kids: value, record
  kOver,        // kids: function, record
};

struct Expr {
  Expr() = default;
  ~Expr();  // a loop: every definition of a body is another level
  Expr(const Expr&) = delete;
  Expr& operator=(const Expr&) = delete;

  ExprKind kind = ExprKind::kNumbers;
  SourcePos pos;
  Type type;  // unknowns are solved in Program::variables
  std::vector<ExprRef> kids;
  std::vector<std::int64_t> numbers, counts;
  std::vector<double> reals;
  ValueId value = -1;
  std::int32_t library = -1;
  std::vector<ValueId> parameters;
  std::vector<Var> bound;
  std::vector<Type> types;
  std::vector<Shape> indices;  // a dimension as a shape of one piece
  std::vector<std::size_t> cells;
  Shape frame;
  std::vector<std::string> names;
  bool recursive = false, dimension = false;
};

struct Value {
  std::string name;
  Type type;
  SourcePos pos;
};

struct Form {
  // What translating makes of it. kGiven, kKept: of a definition whose type has no functions.
  enum class Use : std::uint8_t {
    kCompute,
    kSkip,
    kGiven,  // its value comes from outside (core code's input of the form's number)
    kKept    // its value is a result, too
  };
  ValueId defines = -1;    // of a definition; -1: an expression whose value is printed
  bool continues = false;  // a group of definitions that may call each other, with the form before
  ExprRef body;            // null: a value from outside
  Use use = Use::kCompute;
};

struct Program {
  Variables variables;
  std::vector<Value> values;
  std::vector<Form> forms;
};

struct Checked {
  Program program;
  std::vector<Error> errors;
};

// A value from outside: its name, and its type as it is written.
struct Given {
  std::string name, type;
};

// Reads and checks a program; complete only without errors, of which there may be several. Its first forms
// define what is given, one each.
[[nodiscard]] Checked check_program(std::string_view text, std::span<const Given> given = {});
[[nodiscard]] Type type_of(const Program& program, const Form& form);

}  // namespace nvm::remora
