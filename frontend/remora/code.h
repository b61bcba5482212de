// Builds core code (frontend/core.h): values are variables, bound one after another in blocks. A function may
// use variables of those around it: take() makes them parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/core.h"

namespace nvm::remora {

// A variable. `known`: its number, if that is a constant.
struct Code {
  std::int32_t id = -1;
  const frontend::core::Type* type = nullptr;
  std::optional<std::int64_t> known = {};
};

class Coder {
 public:
  using Type = frontend::core::Type;
  using Prim = frontend::core::Prim;

  // `line` is that of what is built, at any time.
  explicit Coder(const Origin* line) : line_(line) {}

  // ---- functions
  // Opens a function; its parameter. Others that are open wait.
  Code begin_function(std::string name, const Type* parameter);
  // Room for a function that is to be called before its body is known.
  std::int32_t reserve();
  void end_function(Code result, std::int32_t at);
  void abandon_function() { open_.pop_back(); }
  Code call(std::int32_t function, Code argument, const Type* result);
  // All functions; `entry` is the one to start with.
  frontend::core::Program take(std::int32_t entry);

  // A value that the run is given.
  Code input(const Type* type, std::size_t number);

  // ---- constants
  Code integer(std::int64_t n);
  Code real(double x);
  Code boolean(bool b);
  Code integers(std::span<const std::int64_t> numbers);
  Code reals(std::span<const double> numbers);
  Code booleans(std::span<const std::int64_t> numbers);
  Code empty(const Type* element);
  Code zero(const Type* type);

  // ---- operations
  template <typename Arguments = std::initializer_list<Code>>
  Code op(Prim prim, const Type* type, const Arguments& arguments) {
    ExprPtr e = node(Kind::kPrim, type);
    e->prim = prim;
    e->kids.push_back(argument(std::span(arguments.begin(), arguments.size())));
    return bind(std::move(e));
  }
  Code plus(Code a, Code b);
  Code minus(Code a, Code b);
  Code times(Code a, Code b);
  Code quotient(Code a, Code b);  // the divisor is not zero
  Code remainder(Code a, Code b);
  Code compare(Prim prim, Code a, Code b) { return op(prim, boolean_type(), {a, b}); }
  Code both(Code a, Code b) { return op(Prim::kAnd, boolean_type(), {a, b}); }
  Code pair(Code a, Code b);
  Code tuple(std::span<const Code> parts);  // nested to the right; none: the integer 0
  std::vector<Code> parts(Code tuple, std::size_t n);
  Code first(Code pair);
  Code second(Code pair);
  Code sequence(std::span<const Code> elements);  // at least one
  Code length(Code v) { return op(Prim::kLength, integer_type(), {v}); }
  Code dist(Code x, Code n);
  Code iota(Code n) { return range(integer(0), n); }
  Code range(Code from, Code to);  // from, from + 1, ..., to - 1
  Code element(Code v, Code i) { return op(Prim::kElt, v.type->a, {v, i}); }
  Code get(Code v, Code indices) { return op(Prim::kGet, v.type, {v, indices}); }
  Code append(Code a, Code b) { return op(Prim::kAppend, a.type, {a, b}); }
  Code flatten(Code v) { return op(Prim::kFlatten, v.type->a, {v}); }
  // `n` groups of `size`.
  Code groups(Code v, Code n, Code size);
  Code pack(Code v, Code flags);
  Code select(Code condition, Code yes, Code no) { return op(Prim::kSelect, yes.type, {condition, yes, no}); }
  Code checked(Code fine, const std::string& message, Code value);

  // ---- structure
  using Body = std::function<Code(const std::vector<Code>&)>;
  Code each(std::span<const Code> sequences, const Body& body);
  Code each(std::initializer_list<Code> sequences, const Body& body) {
    return each(std::span<const Code>(sequences.begin(), sequences.size()), body);
  }
  // What is put aside, for branch().
  struct Part {
    std::vector<std::pair<std::int32_t, frontend::core::ExprPtr>> lets;  // by ascending variable
    Code result;
  };
  // `f` builds on behind what was begun.
  template <typename F>
  Part aside(F&& f, Part begun) {
    open_.back().blocks.push_back({false, std::move(begun.lets)});
    const Code result = f();
    Part built{std::move(open_.back().blocks.back().lets), result};
    open_.back().blocks.pop_back();
    return built;
  }
  Code branch(Code condition, Part yes, Part no);

  static const Type* integer_type() { return frontend::core::base_type(frontend::core::TypeKind::kInt); }
  static const Type* real_type() { return frontend::core::base_type(frontend::core::TypeKind::kFloat); }
  static const Type* boolean_type() { return frontend::core::base_type(frontend::core::TypeKind::kBool); }
  static const Type* tuple_type(std::span<const Type* const> parts);

 private:
  friend class Bindings;
  using ExprPtr = frontend::core::ExprPtr;
  using Kind = frontend::core::ExprKind;
  struct Block {
    bool repeated = false;                                    // the body of an apply-to-each
    std::vector<std::pair<std::int32_t, ExprPtr>> lets = {};  // by ascending variable
  };
  struct Open {
    frontend::core::Function function;
    std::vector<Block> blocks;
  };
  std::int32_t fresh(const Type* type);
  ExprPtr node(Kind kind, const Type* type) const;
  ExprPtr use(Code c) const;
  ExprPtr argument(std::span<const Code> arguments) const;
  Code bind(ExprPtr value);
  ExprPtr close(Code result);  // the innermost block
  template <typename F>
  ExprPtr block(bool repeated, F&& fill) {
    open_.back().blocks.push_back({repeated});
    return close(fill());
  }

  const Origin* line_;
  std::vector<Open> open_;
  std::vector<const Type*> variables_;  // of all functions
  frontend::core::Program program_;
};

// What variables were bound to in front of where code was being built when this was made: in the innermost
// apply-to-each or function, and in the branches of it that lead there.
class Bindings {
 public:
  explicit Bindings(const Coder& code);
  // Null: it was bound elsewhere.
  [[nodiscard]] const frontend::core::Expr* of(std::int32_t variable) const;

 private:
  const Coder& code_;
  std::size_t function_, first_, end_;  // blocks
};

// Variables are numbered over all functions: each gets those of others that it uses as further parameters,
// and numbers of its own.
void lift_functions(frontend::core::Program& program,
                    const std::vector<const frontend::core::Type*>& variables);

}  // namespace nvm::remora
