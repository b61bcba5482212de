// Flat code: what flattening makes, and SSA and stack code are made of. Functions of vectors and descriptors
// in single-assignment form with structured conditionals. The builder numbers values, so that equal pure
// operations in scope of each other are one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bytecode/program/program.h"
#include "bytecode/ssa/scalar_eval.h"
#include "bytecode/table/ranges.h"
#include "frontend/numbering.h"
#include "frontend/scoped_map.h"

namespace nvm::ssa {
struct Module;
}
namespace nvm::frontend {
struct EmitOptions;
}

namespace nvm::frontend::flat {

struct Block;

struct Stmt {
  enum class Kind : std::uint8_t {
    kOp,     // op word args -> results
    kConst,  // constant -> one result
    kCall,   // callee args -> results
    kIf,     // args: the condition; the yields of the branch taken -> results
  };
  Kind kind = Kind::kOp;
  Op op = Op::kRet;
  TypeWord word = TypeWord::kNone;
  bool keep = false;        // has an effect, or may fail and the user must see that
  bool barrier = false;     // nothing may move across it: the clock
  std::int32_t target = 0;  // kConst: constant; kCall: function
  Origin line = 0;
  Atoms args = {}, results = {};
  std::unique_ptr<Block> then_block = nullptr, else_block = nullptr;
};

struct Block {
  std::vector<Stmt> stmts;
  Atoms yields;
  bool exits = false;  // ends the program: yields nothing
};

struct Function {
  std::string name;    // VCODE word
  std::string origin;  // name in the source
  bool lifted = false, tail_parallel = false;
  Atoms params;
  Block body;                    // yields the results
  std::vector<nvm::Type> kinds;  // of every atom
};

struct Program {
  std::vector<Function> functions;
  std::vector<Constant> constants;
  std::unordered_multimap<std::size_t, std::int32_t> index;  // of the constants, by a hash of their content
};

// The comparison of whole numbers that holds where this one does not; none for other operations.
[[nodiscard]] std::optional<Op> inverse_of(Op comparison);

// Builds one function's body.
class Builder {
 public:
  Builder(Program& program, Function& function);

  Atom param(nvm::Type kind);
  Atom op(Op op, TypeWord word, Atoms args);  // of one result
  Atoms ops(Op op, TypeWord word, Atoms args);
  Atom constant(Constant constant);
  Atom integer(std::int64_t value) { return constant({TypeWord::kInt, {value}, {}}); }
  Atom real(double value) { return constant({TypeWord::kFloat, {}, {value}}); }
  Atom boolean(bool value) { return constant({TypeWord::kBool, {value ? 1 : 0}, {}}); }
  Atoms call(std::int32_t callee, Atoms args, const std::vector<nvm::Type>& results, bool keep);
  // Each branch yields values of the same kinds.
  Atoms branch(Atom condition, const std::function<Atoms()>& then_branch,
               const std::function<Atoms()>& else_branch);
  // if condition, run `then_branch` and end the program.
  void stop_if(Atom condition, const std::function<void()>& then_branch);
  void stop() { emit(Op::kExit); }
  void emit(Op op) { ops(op, TypeWord::kNone, {}); }
  // Marks the statement that made `atom`, in whichever open block, as one that must not vanish.
  void keep(Atom atom);
  void finish(Atoms results);

  void line(Origin line) { line_ = line; }
  [[nodiscard]] nvm::Type kind(Atom atom) const { return function_.kinds[static_cast<std::size_t>(atom)]; }
  // A constant that is in the code, no input; or null.
  [[nodiscard]] const Constant* constant_of(Atom atom) const;
  // The value of a constant of one element, or null.
  [[nodiscard]] const Constant* known(Atom atom) const;
  // The operation gives `result`: in this block or those inside it, nobody needs to execute it.
  void same(Op op, TypeWord word, const Atoms& args, Atom result);
  // The result of the operation, if it was executed already.
  [[nodiscard]] std::optional<Atom> done(Op op, TypeWord word, const Atoms& args) const;
  // What was done in this block and those around it.
  [[nodiscard]] Numbering& numbering() { return numbering_; }
  // True the first time that it is asked about `atom` in this block or those around it.
  bool first_time(Atom atom);

  // ---- what is known of the numbers in a vector; flat_facts.cpp

  // The operation that made it, null for parameters, constants and results of calls and conditionals.
  struct Made {
    Op op = Op::kRet;
    TypeWord word = TypeWord::kNone;
    Atoms args;
  };
  [[nodiscard]] const Made* made(Atom atom) const;
  // Behind copies to more instances: what every element of it is.
  [[nodiscard]] Atom copied(Atom atom) const;
  // What holds of the elements in a run with INTs of so many bits, 32 or 64. Facts that the code relies on
  // hold for both: it may run with either.
  [[nodiscard]] Numbers numbers(Atom atom, int bits) const { return numbers(atom, bits, kFactDepth); }
  // A descriptor can be made of them.
  [[nodiscard]] bool are_lengths(Atom atom) const;
  // No element is negative.
  [[nodiscard]] bool not_negative(Atom atom) const { return not_negative(atom, kFactDepth); }
  // No element of `a` is above that of `b` of the same instance.
  [[nodiscard]] bool not_above(Atom a, Atom b) const { return not_above(a, b, kFactDepth); }
  // a + b, a - b does not wrap.
  [[nodiscard]] bool adds(Atom a, Atom b) const { return exact(Scalar::kAdd, a, b, kFactDepth); }
  [[nodiscard]] bool subtracts(Atom a, Atom b) const { return exact(Scalar::kSub, a, b, kFactDepth); }
  // The comparison of INT vectors as the facts decide it.
  [[nodiscard]] std::optional<bool> decided(Op op, Atom a, Atom b) const;
  // From here on, in this block: all flags have the value. Learns what comparisons of INT say.
  void learn(Atom flags, bool value);

 private:
  static constexpr int kFactDepth = 6;  // steps of an argument
  static constexpr std::array<int, 2> kWidths{32, 64};
  using OfWidths = std::array<Numbers, 2>;
  // An open block, and where what is known in those around it ends.
  struct Scope {
    Block block = {};
    std::size_t asked = 0, ordered = 0, refined = 0;
  };
  [[nodiscard]] bool picks(const Made& select, std::size_t high, std::size_t low) const;
  [[nodiscard]] bool learned(Atom low, Atom high) const;
  [[nodiscard]] Numbers numbers(Atom atom, int bits, int depth) const;
  [[nodiscard]] Numbers computed(const Made& by, int bits, int depth) const;
  [[nodiscard]] Range counted_to_end(const Made& index, int bits) const;
  [[nodiscard]] bool exact(Scalar scalar, Atom a, Atom b, int depth) const;
  [[nodiscard]] bool each_inside(Atom atom, const Range& range, int depth) const;
  void refine(Atom atom, const OfWidths& known);
  void learn_order(Atom low, Atom high, bool strict);
  [[nodiscard]] bool not_negative(Atom atom, int depth) const {
    return each_inside(atom, {0, INT64_MAX}, depth);
  }
  [[nodiscard]] bool not_above(Atom a, Atom b, int depth) const;
  [[nodiscard]] std::optional<std::int64_t> number(Atom atom) const;
  std::optional<Atom> fold(Op op, TypeWord word, const Atoms& args);
  std::optional<Atom> fold_not(Atom flags);
  std::optional<Atom> fold_shape(Op op, Atom of);
  std::optional<Atom> fold_arithmetic(Op op, Atom a, Atom b);
  std::optional<Atom> fold_select(const Atoms& args);
  std::optional<Atom> fold_sum(Atom vector, Atom segments);
  std::optional<Atom> fold_numbers(Op op, TypeWord word, ssa::Element x, ssa::Element y);
  Atom fresh(nvm::Type kind);
  Stmt& add(Stmt stmt);
  void open();
  std::unique_ptr<Block> close();

  Program& program_;
  Function& function_;
  std::vector<Scope> scopes_;
  Numbering numbering_;
  ScopedMap<Atom, bool> asked_;
  ScopedMap<std::uint64_t, bool> ordered_;  // pairs: the first is not above the second
  ScopedMap<Atom, OfWidths> refined_;       // what was learned of its elements
  // By atom, of what open blocks make: the scope, and the statement in its block.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> statement_;
  std::map<Atom, std::int32_t> constants_;  // atom to constant
  std::unordered_map<Atom, Made> made_;     // by first result
  std::vector<OfWidths> numbers_;           // by atom: what its making says
  Origin line_ = 0;
};

// Those with true in `kept`.
void keep_only(Atoms& atoms, const std::vector<bool>& kept);
// Removes statements and results of conditionals that nobody needs.
void remove_dead(Function& function);
// Removes parameters and results of functions that nobody needs, and what is then dead; functions[0] keeps
// its results. Requires: remove_dead() of every function.
void remove_unused(Program& program);

// Gives recursive functions that are not lifted the lengths of their sequences where that saves asking.
void hand_over_lengths(Program& program);

// Tells loops whose instances share a counter, and leave where it reaches a number of their own, the least of
// those numbers: below it nobody is asked.
void tell_least_numbers(Program& program);

// The VCODE word of a function: its name in capitals where that is legal, and the number that tells it from
// all others. No longer than the legacy interpreter reads.
[[nodiscard]] std::string word_for(const std::string& name, std::size_t number);
// Makes functions of conditionals that stand in more others than the legacy interpreter reads.
void outline_deep_conditionals(Program& program);
// Writes combining scatters with instructions that it has. FLOAT sums are then those of reductions.
void expand_combining_scatters(Program& program);

// "v3 = + INT v1 v2", one statement a line; for tests and listings.
[[nodiscard]] std::string print(const Function& function, const Program& program);

// functions[0] becomes the entry. What can be reached, checked. Cost: linear in the code.
[[nodiscard]] ssa::Module to_ssa(const Program& program, const EmitOptions& options);
// Puts the functions on a stack. Verified and lowered it is the same module, but for parameters that a
// function only hands back: those that lie lowest need not be passed there. Legal for the legacy interpreter
// if no conditionals are nested too deep.
[[nodiscard]] nvm::Program to_stack_code(const Program& program, const EmitOptions& options);

}  // namespace nvm::frontend::flat
