// The type checker: trees to typed expressions (sections 5 to 7 and 13). Members throw Error at the first
// fault of an expression; text() goes on with the next form.
#pragma once

#include <map>
#include <set>
#include <span>

#include "frontend/remora/context.h"
#include "frontend/remora/type_reader.h"
#include "frontend/remora/unify.h"

namespace nvm::remora {

// What uses a name whose definition is at fault: not reported.
struct Blamed {};

class Checker {
 public:
  explicit Checker(Context& context);

  // The forms of a text, whose first line has this number; what is wrong with it.
  [[nodiscard]] std::vector<Error> text(std::string_view text, std::uint32_t line);

 private:
  friend class Application;
  using Trees = std::span<const Tree>;
  using Form = ExprRef (Checker::*)(const Tree&, const Type*);

  // A form of the top level; `follows` are the trees from it on, `used` how many of them it was.
  void form(Trees follows, std::size_t& used);
  // Names that the form would have defined are at fault.
  void blame(const Tree& form);

  ExprRef expression(const Tree& t, const Type* context = nullptr);
  ExprRef name(const Tree& t);
  ExprRef literal(const Tree& t);
  [[nodiscard]] static Form form_of(const std::string& word);
  // Trees of a body: definitions and an expression; `owner` is the form around them.
  ExprRef body(Trees trees, const Tree& owner, const Type* context = nullptr);

  // ---- definitions; check_define.cpp
  struct Definition {
    const Tree* tree = nullptr;
    std::string name;
    const Tree* name_tree = nullptr;  // a name, or an instance of it with its variables
    const Tree* head = nullptr;       // of a function: (name parameter ...)
    const Tree* declared = nullptr;   // the type behind the colon
    Trees body;
    ValueId value = -1;
    [[nodiscard]] bool is_group_member() const { return head != nullptr && declared != nullptr; }
  };
  [[nodiscard]] Definition read_define(const Tree& t) const;
  static bool is_define(const Tree& t);
  bool abbreviation(const Tree& t);
  std::size_t group_at(Trees trees) const;
  // Binds and checks a run of function definitions, or one definition of a value.
  std::vector<std::pair<ValueId, ExprRef>> define(Trees trees);
  [[nodiscard]] Type declared_type(const Definition& d);
  ExprRef definition_body(const Definition& d);
  ExprRef let_of(const std::vector<std::pair<ValueId, ExprRef>>& bound, ExprRef rest) const;
  ValueId fresh_value(const std::string& name, Type type, SourcePos pos);
  void annotated(const Type& declared, const Expr& found, const Tree& last);

  // ---- functions; check_define.cpp
  ExprRef lambda(const Tree& t, const Type* context);
  ExprRef function(Trees parameters, const Tree* result, Trees body_trees, const Tree& owner,
                   const Type* context);
  ExprRef type_lambda(const Tree& t, const Type* context);
  ExprRef index_lambda(const Tree& t, const Type* context);
  ExprRef let(const Tree& t, const Type* context);

  // ---- applications; check_apply.cpp
  ExprRef application(const Tree& t, const Type* context);
  ExprRef instance(const Tree& t);
  ExprRef type_application(const Tree& t, const Type* context);
  ExprRef index_application(const Tree& t, const Type* context);
  ExprRef instantiated(ExprRef e, const Tree& whole, Trees types, Trees indices);
  // Unknowns for all parameters of a polymorphic value.
  ExprRef opened(ExprRef e);
  ExprRef open_layer(ExprRef e, const std::vector<Type>& types, const std::vector<Shape>& indices,
                     SourcePos position);
  [[nodiscard]] bool lacks_types(const Tree& t) const;
  struct Rank {  // a shape has as many axes as the dimension says
    Shape shape;
    Dim axes;
    SourcePos pos;  // of the instantiated expression
  };

  // ---- other forms; check_forms.cpp
  ExprRef array(const Tree& t, const Type* context);
  ExprRef frame(const Tree& t, const Type* context);
  ExprRef stacked(const Tree& t, Trees elements, std::vector<std::int64_t> counts, const Type* context);
  ExprRef conditional(const Tree& t, const Type* context);
  ExprRef boxes(const Tree& t, const Type* context);
  ExprRef box(const Tree& t, const Type* context);
  ExprRef unbox(const Tree& t, const Type* context);
  ExprRef lift(const Tree& t, const Type* context);
  ExprRef reshape(const Tree& t, const Type* context);
  ExprRef reify_dimension(const Tree& t, const Type* context);
  ExprRef reify_shape(const Tree& t, const Type* context);
  ExprRef record(const Tree& t);
  ExprRef view(const Tree& t, const Type* context);
  ExprRef field(const Tree& t, const Type* context);
  ExprRef set(const Tree& t, const Type* context);
  ExprRef over(const Tree& t, const Type* context);
  ExprRef misplaced_define(const Tree& t, const Type* context);
  ExprRef step(ExprRef of, const Tree& name, const Tree& whole);

  [[nodiscard]] ExprRef made(ExprKind kind, SourcePos pos, Type type) const;
  [[nodiscard]] Type resolved(const Type& t) const { return program_.variables.resolved(t); }
  [[nodiscard]] std::string shown(const Type& t) const { return print(resolved(t), program_.variables); }
  [[nodiscard]] std::vector<std::int64_t> counts_of(const Tree& t) const;

  Program& program_;
  Scope& scope_;
  LibraryTypes& library_;
  TypeReader reader_;
  Unifier unify_;
  std::vector<Rank> ranks_;  // of applications that are not complete
  int retries_ = 1000;       // of branches, with what the other branch tells: they can nest
};

[[noreturn]] void fault(const char* kind, SourcePos pos, std::string text);
// How many elements an array of these dimensions has; throws TooLarge.
[[nodiscard]] std::int64_t product(const std::vector<std::int64_t>& counts);
[[nodiscard]] Shape shape_of(const std::vector<std::int64_t>& counts);

}  // namespace nvm::remora
