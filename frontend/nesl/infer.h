// Type checking of forms: Hindley-Milner, generalised at top level only. Annotates the tree with types and
// with the global bindings its names mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bytecode/base/ascii.h"
#include "frontend/nesl/environment.h"

namespace nvm::frontend {

// For messages: an expression in one line, cut if long. Names are shown in capitals, as in NESL's own.
[[nodiscard]] std::string excerpt(const Expr& exp);
[[nodiscard]] std::string counted(std::size_t n);  // "1 argument", "2 arguments"
// What stands behind a message if both have a record of one name that was defined twice; else "".
[[nodiscard]] std::string redefined(const Type* expected, const Type* given);
[[nodiscard]] bool is_base_type(std::string_view name);

// Checks one form; all errors go to `diagnostics`. An object serves one form.
class Checker {
 public:
  Checker(Environment& environment, Diagnostics& diagnostics, bool from_prelude);

  // The type of `form`, whose name means `self` in its own body, or null if faulty. With a signature the
  // result is the declared type; the body must be at least as general. Sets self.serial.
  const Type* function(Form& form, Binding& self);
  // The declared type of a forward declaration or primitive.
  const Type* signature(const TypeSig& sig, Binding& self);
  // The type of an expression with no local variables around it, or null.
  const Type* expression(Expr& exp);
  // Whether `pattern` can take apart a value of type `type`; its variables, in order, with their types.
  struct Variable {
    std::string name;
    const Type* type = nullptr;
  };
  bool match(Pattern& pattern, const Type* type, std::vector<Variable>& variables);
  // Whether the name of a record pattern means something, which is reported if not.
  bool knows_record(const Pattern& pattern);
  // Declares the datatype of `form`: its constructor's type, or null.
  const Type* datatype(const Form& form, Binding& constructor);
  [[nodiscard]] bool calls_serial() const { return serial_; }

 private:
  struct Failure {};
  struct Lambda {
    Expr* node;
    std::size_t scope_base;
  };

  const Type* infer(Expr& exp);
  const Type* infer_kind(Expr& exp);
  const Type* infer_name(Expr& exp);
  const Type* infer_truth(Expr& exp);
  const Type* infer_empty(Expr& exp);
  void settle_empties(const Type* function);
  void settle_value(const Type* type);
  const Type* infer_tuple(Expr& exp);
  const Type* infer_seq(Expr& exp);
  const Type* infer_call(Expr& exp);
  const Type* infer_if(Expr& exp);
  const Type* infer_let(Expr& exp);
  const Type* infer_each(Expr& exp);
  const Type* infer_lambda(Expr& exp);
  const Type* infer_closure(Expr& exp);
  void expand_defaults(Expr& call);
  void mark_serial(const Expr& function);
  const Type* apply(const Expr& call, const Type* function, const Type* argument);

  const Type* pattern(Pattern& pattern, std::vector<Variable>& variables);
  void push(const std::vector<Variable>& variables);
  static constexpr std::size_t kNotLocal = static_cast<std::size_t>(-1);
  std::size_t find_local(const std::string& name) const;
  void capture(const std::string& name, std::size_t index);

  using TypeVars = std::vector<Variable>;
  TypeVars type_variables(const TypeSig& sig, bool rigid);
  const Type* type_of(const TypeExpr& exp, const TypeVars& variables);
  const Type* named_type(const TypeExpr& exp, const TypeVars& variables);
  const Type* declared(const TypeSig& sig, bool rigid, Binding& self);
  [[noreturn]] void fail(SourcePos pos, std::string message);
  [[noreturn]] void undefined(const Expr& name);
  // Hints behind messages, "" if there is none to give: how an int and a float, or a character and a string,
  // come together.
  [[nodiscard]] static std::string conversion(const Type* expected, const Type* given);
  // A record pattern of a name that is no record; it may be meant to define a function.
  [[noreturn]] void unknown_record(const Pattern& pattern);
  [[noreturn]] void not_a_function(const Expr& call, const Type* function, const Type* argument);
  [[noreturn]] void mismatch(const Expr& call, const std::string& name, const Type* expected,
                             const Type* given);

  Environment& env_;
  TypeArena& types_;
  Diagnostics& diagnostics_;
  Unifier unifier_;
  bool from_prelude_;
  Binding* self_ = nullptr;
  std::vector<Variable> scope_;
  TypeVars own_variables_;  // of the signature, which `[] a` may name in the prelude
  std::vector<Lambda> lambdas_;
  struct Empty {  // a [] without a type
    SourcePos pos;
    const Type* element = nullptr;
    bool elsewhere =
        false;  // in a function value or a default argument, of which versions are made by themselves
  };
  std::vector<Empty> empties_;
  int parallel_ = 0;  // apply-to-eachs around the current expression
  bool serial_ = false;
  bool parameters_ = false;  // the pattern stands where a function has its parameters
};

}  // namespace nvm::frontend
