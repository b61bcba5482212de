// The specialiser's state. Private to specialise.cpp and specialise_call.cpp.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bytecode/program/origin.h"
#include "frontend/core.h"
#include "frontend/nesl/parser.h"
#include "frontend/nesl/specialise.h"

namespace nvm::frontend {

// `type` with INT for what its records do not hold, and what `of_variable` says for its variables.
const Type* plain(TypeArena& types, const Type* type,
                  const std::function<const Type*(const Type* variable)>& of_variable);

class Specialiser {
 public:
  Specialiser(Environment& environment, Diagnostics& diagnostics)
      : env_(environment),
        types_(environment.types()),
        diagnostics_(diagnostics),
        program_(std::make_shared<core::Program>()) {}

  std::shared_ptr<core::Program> run(const Expr& exp, std::uint32_t source);

 private:
  struct Failure {};

  // Beyond these, measured on the key of an instance, types are taken to grow without end.
  static constexpr std::size_t kMaxKey = 4000;
  static constexpr int kMaxTypeDepth = 100;

  // Core code with the ground type of its value. Function types in it tell the function by their identity
  // only.
  struct Value {
    core::ExprPtr code;
    const Type* type = nullptr;
  };

  // A local variable: a part of a core variable.
  struct Local {
    std::string name;
    int variable = 0;
    std::vector<bool> path;  // from the whole: its first (false) or second component
    const core::Type* whole = nullptr;
    const Type* type = nullptr;
  };

  // One version of a function or lambda, made when its turn comes.
  struct Instance {
    int function = 0;              // of the core program
    const Type* result = nullptr;  // null while unknown
    const Pattern* pattern = nullptr;
    const Expr* body = nullptr;
    std::shared_ptr<const Form> form;  // keeps the tree alive
    bool builtin = false;
    std::uint32_t source = 0;  // Source::number of the body
    const Type* argument = nullptr;
    const Type* general = nullptr;      // of a named function: its type, with variables
    std::vector<std::string> captured;  // lambda: names, with the types of `captures`
    std::vector<const Type*> captures;
  };

  // Expressions.
  Value value(const Expr& exp);
  Value name(const Expr& exp);
  Value global(const Binding* binding, const Expr& exp);
  Value tuple(const Expr& exp);
  Value sequence(const Expr& exp);
  Value conditional(const Expr& exp);
  Value let(const Expr& exp);
  Value each(const Expr& exp);
  Value lambda(const Expr& exp);
  Value closure(const Expr& exp);
  Value outside(const Expr& exp, bool builtin);  // in no local scope

  // Calls.
  Value call(const Expr& exp);
  Value power(const Expr& base, std::int64_t exponent, const Expr& exp);
  Value apply(Value function, Value argument, const Expr& call);
  Value apply_closure(const Type* identity, Value function, Value argument, const Expr& call);
  Value apply_named(const Binding* binding, Value argument, const Expr& call);
  Value apply_lambda(const Type* identity, core::ExprPtr function, Value argument, const Expr& call);
  Value apply_declared(const Binding* binding, Value argument, const Expr& call);
  const Type* unpacked(const Type* type, const Type* record, const Type* content);
  Value call_of(const Instance& instance, core::ExprPtr argument, const Expr& call);
  const Type* result_of(const Binding* binding, const Type* argument, const Expr& call);
  bool has_open_result(const Binding* binding);
  const Type* open_result(const Binding* binding, const Form& form, const Expr& call);
  const Type* open_functions(const Type* type, std::vector<const Type*>& functions);
  const Type* open_record(const Type* record, std::vector<const Type*>& functions);
  void collect_functions(const Type* type, std::vector<const Type*>& functions);
  bool of_a_value(const Type* var, const Type* type);
  static bool is_ground(const Type* type);
  Instance& instance(const std::string& key, const Expr& call);
  int declare(const std::string& name, const Instance& made, std::uint32_t line);
  void make(Instance& instance);

  // Variables, types and nodes.
  int fresh(const core::Type* type, const std::string& name);
  void bind(const Pattern& pattern, const Type* type, Local whole);
  core::ExprPtr read(const Local& local);
  const Local& find(const std::string& name) const;
  // Variables of which nothing is known stand for INT.
  using Known = std::unordered_map<const Type*, const Type*>;
  const Type* ground(const Type* type, const Known* known = nullptr);
  [[nodiscard]] Known known_here() const;
  static const Type* any_function(TypeArena& types, const Type* identity);
  const core::Type* erase(const Type* type);
  void describe(std::string& key, const Type* type, int depth = 0);
  static core::ExprPtr node(core::ExprKind kind, const core::Type* type, Origin line = 0);
  static core::ExprPtr pair(core::ExprPtr first, core::ExprPtr second);
  static core::ExprPtr project(core::ExprPtr whole, bool second);
  static core::ExprPtr variable(int variable, const core::Type* type);
  static core::ExprPtr let_in(int variable, core::ExprPtr value, core::ExprPtr body);
  [[nodiscard]] Origin line(const Expr& exp) const {
    return builtin_ ? 0 : origin_number(source_, exp.pos.line);
  }
  [[noreturn]] void fail(const Expr& exp, const std::string& message);

  Environment& env_;
  TypeArena& types_;
  Unifier unifier_;
  Diagnostics& diagnostics_;
  std::shared_ptr<core::Program> program_;
  int function_ = 0;  // the core function being made
  const Instance* making_ = nullptr;
  std::unordered_map<const Binding*, bool> open_results_;
  std::vector<Local> scope_;
  bool builtin_ = false;
  std::uint32_t source_ = 0;       // of the text that is compiled
  std::uint32_t main_source_ = 0;  // of the expression
  SourcePos user_pos_;             // last place in the user's text, for errors that show in the prelude
  std::unordered_map<std::string, std::unique_ptr<Instance>> instances_;
  std::deque<Instance*> pending_;
};

}  // namespace nvm::frontend
