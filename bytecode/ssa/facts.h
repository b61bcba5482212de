// What is known about sizes before anything runs: the symbolic lengths of every value, and which checks
// cannot fail. A forward analysis over the whole program: a fact about a parameter holds at every call.
//
// A symbol stands for one number per activation of the function: the length of a vector, the number of
// segments or total of a descriptor, the sum of the elements of an Int or Bool vector (for a scalar its
// value). Two equal symbols are equal numbers. Sums are modulo the width of INT; lengths are below it, which
// the run ensures by its limits.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "bytecode/table/ranges.h"

namespace nvm::ssa {

using Symbol = std::int32_t;
inline constexpr Symbol kNoSymbol = -1;

// Symbols of one function. What is computed from others is a sum of multiples of fresh symbols and a
// constant, stored once, so that equal sums, however they were made, are one symbol.
class Symbols {
 public:
  Symbol fresh();
  Symbol constant(std::int64_t value);
  Symbol add(Symbol a, Symbol b) { return combine(a, 1, b, 1); }
  Symbol subtract(Symbol a, Symbol b) { return combine(a, 1, b, -1); }
  Symbol scale(std::int64_t factor, Symbol of) { return combine(of, factor, of, 0); }
  [[nodiscard]] bool is_constant(Symbol s) const { return node(s).kind == Kind::kSum && node(s).count == 0; }
  [[nodiscard]] std::int64_t value(Symbol s) const { return node(s).number; }  // of a constant

 private:
  static constexpr std::int64_t kSmall = 1 << 30;  // up to here sums of constants are the same in every width
  enum class Kind : std::uint8_t { kFresh, kSum, kOpaque };
  using Term = std::pair<Symbol, std::int64_t>;  // so many times the symbol
  struct Node {
    Kind kind = Kind::kFresh;
    std::uint32_t first = 0, count = 0;  // in terms_; of a sum: by symbol, which are no sums, none zero times
    std::int64_t number = 0;
  };
  [[nodiscard]] const Node& node(Symbol s) const { return nodes_[static_cast<std::size_t>(s)]; }
  [[nodiscard]] std::span<const Term> terms(const Node& n) const {
    return {terms_.data() + n.first, n.count};
  }
  Symbol intern(Kind kind, std::int64_t number, std::span<const Term> terms);
  [[nodiscard]] static std::uint64_t hash_of(Kind kind, std::int64_t number, std::span<const Term> terms);
  void grow();
  // of_a * a + of_b * b.
  Symbol combine(Symbol a, std::int64_t of_a, Symbol b, std::int64_t of_b);
  // The same as a sum of what both are made of, in sum_; its constant.
  std::int64_t add_up(const Term& a, const Term& b);
  std::vector<Node> nodes_;
  std::vector<Term> terms_, sum_;
  // Of interned nodes, at the place of their hash or the next free one; a power of two, half empty.
  std::vector<Symbol> table_;
  std::size_t interned_ = 0;
};

struct ValueFacts {
  Symbol length = kNoSymbol;  // of a vector; segments of a descriptor; none for a pair
  Symbol sum = kNoSymbol;     // of Int and Bool elements; total of a descriptor; none for Float and pairs
  Symbol below = kNoSymbol;   // every element of an Int vector is in 0 .. below - 1
};

struct FunctionFacts {
  std::vector<ValueFacts> values;  // by ValueId
  // By ValueId: the elements of Int and Bool vectors, the lengths of descriptors. Empty from analyse_sizes().
  std::vector<Numbers> numbers;
  Symbol one = kNoSymbol;
  Symbols symbols;

  [[nodiscard]] const Numbers& numbers_of(ValueId v) const { return numbers[static_cast<std::size_t>(v)]; }
  [[nodiscard]] const ValueFacts& of(ValueId v) const { return values[static_cast<std::size_t>(v)]; }
  [[nodiscard]] bool is_scalar(ValueId v) const { return of(v).length == one; }
};

// What may be taken for granted about the parameters of a function beyond its calls in the module: two
// classes for each parameter, of its length and its sum, equal ones being equal numbers; kClassOne is the
// number one.
using ParameterClasses = std::vector<std::int32_t>;
inline constexpr std::int32_t kClassOne = -1;

// Requires: check(). Cost: code size times the (few) rounds until nothing changes. `most`, by function, if
// not empty: no more than this is assumed of the parameters, so that the facts hold for calls from elsewhere
// too. `granted`, by function, if not empty: all of that is assumed, whatever the calls in the module pass;
// facts about such a function, and about what its body calls, hold only where it is so.
[[nodiscard]] std::vector<FunctionFacts> analyse_sizes(const Module& module,
                                                       const std::vector<ParameterClasses>& most = {},
                                                       const std::vector<bool>& granted = {});

// Sizes of the module as it is called, and the ranges of numbers.
[[nodiscard]] std::vector<FunctionFacts> analyse_facts(const Module& module);

// Can no length check of this instruction fail?
[[nodiscard]] bool lengths_agree(const FunctionFacts& facts, const Function& function, const Inst& in);

// Can this instruction neither fail nor touch state? Lack of memory does not count. Requires facts of
// analyse_facts().
[[nodiscard]] bool cannot_fail(const Module& module, const FunctionFacts& facts, const Function& function,
                               const Inst& in, const std::vector<const Inst*>& makers);

// What an instruction that moves by indices checks besides lengths: that `index`, a value per element (or,
// for one element of each segment, per segment) described by `along`, lies inside the segments of `into`.
// Equal checks have equal outcomes. No index: it checks nothing of the kind, or in an order of its own
// (flags).
struct IndexCheck {
  ValueId index = kNoValue, into = kNoValue, along = kNoValue;
  friend auto operator<=>(const IndexCheck&, const IndexCheck&) = default;
};
[[nodiscard]] IndexCheck index_check(const Function& function, const Inst& in);

// The constant that has all elements of `v`: of a constant, or of a constant distributed. Else null.
[[nodiscard]] const Constant* constant_elements(const Module& module, const Function& function, ValueId v,
                                                const std::vector<const Inst*>& makers);

// Is `v` made of that constant, with this number as its every element?
[[nodiscard]] bool all_elements(const Module& module, const Function& function, ValueId v,
                                const std::vector<const Inst*>& makers, std::int64_t number);

// The instruction that makes each value, null for block parameters. Valid while the function is unchanged.
[[nodiscard]] std::vector<const Inst*> makers_of(const Function& function);
// By ValueId: how often it is read, by instructions and at the ends of blocks.
[[nodiscard]] std::vector<int> reads_of(const Function& function);

}  // namespace nvm::ssa
