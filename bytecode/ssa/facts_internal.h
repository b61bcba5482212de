// The analysis behind analyse_sizes: functions from their callers' facts in facts.cpp, blocks and calls in
// facts_blocks.cpp, instructions in facts_insts.cpp.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "bytecode/ssa/facts.h"
#include "bytecode/ssa/forward.h"

namespace nvm::ssa {

// What a caller and its callee tell each other: a slot is a symbol of the other side's making.
struct Slot {
  enum class Kind : std::uint8_t { kNone, kConstant, kClass, kOwn } kind = Kind::kNone;
  std::int64_t number = 0;  // the constant; the class (of parameters); which of the results' own symbols
  friend auto operator<=>(const Slot&, const Slot&) = default;
};
using Summary = std::vector<Slot>;  // two for each value: length, sum

// What a function says about its results, and about which parameters: a class of a result is one of theirs.
struct Results {
  Summary parameters, results;
  friend bool operator==(const Results&, const Results&) = default;
};

// Makes equal keys equal symbols and different ones different.
template <typename Key>
class FreshBy {
 public:
  explicit FreshBy(Symbols& symbols) : symbols_(symbols) {}
  Symbol operator()(const Key& key) {
    const auto [it, fresh] = made_.try_emplace(key, kNoSymbol);
    if (fresh) it->second = symbols_.fresh();
    return it->second;
  }

 private:
  Symbols& symbols_;
  std::map<Key, Symbol> made_;
};

class SizeAnalysis final : public ForwardAnalysis {
 public:
  SizeAnalysis(const Module& m, const std::vector<ParameterClasses>& most, const std::vector<bool>& granted);

  [[nodiscard]] std::vector<FunctionFacts> take_facts() { return std::move(facts_); }

  // ---- for bodies

  [[nodiscard]] const Summary& parameters(FunctionId f) const { return *parameters_[index(f)]; }
  // Meets what is known about the callee's parameters with one more call; `symbols` are the caller's.
  void tell(FunctionId callee, const Symbols& symbols, const std::vector<Symbol>& given);
  // Does a call pass what is taken for granted about the callee?
  [[nodiscard]] bool keeps(FunctionId callee, const Symbols& symbols, const std::vector<Symbol>& given) const;
  // Of these parameters, if there are any.
  [[nodiscard]] const Results* results(FunctionId f) const;
  void publish_results(FunctionId f, Results now);

 private:
  std::unique_ptr<ForwardBody> look_at(FunctionId f) override;
  void enter_program() override;
  void assume_nothing(FunctionId f) override { parameters_[index(f)] = unknown(f); }

  // Of values of which nothing is known.
  [[nodiscard]] Summary unknown(FunctionId f) const;
  // Nothing is taken for granted about the parameters of a function that measures time.
  [[nodiscard]] bool apart(FunctionId f) const { return measures(m_.functions[index(f)]); }
  [[nodiscard]] bool granted(FunctionId f) const { return !granted_.empty() && granted_[index(f)]; }

  const std::vector<bool>& granted_;
  std::vector<std::optional<Summary>> parameters_;
  std::vector<std::optional<Results>> results_;
  std::vector<FunctionFacts> facts_;
};

// The sizes of one function's values.
class SizesOf final : public ForwardBody {
 public:
  SizesOf(SizeAnalysis& all, const Module& m, FunctionId id, const FunctionShape& shape,
          FunctionFacts& facts);

 private:
  static constexpr BlockId kNoBlock = -1, kSeveral = -2;

  void enter() override;
  // A parameter of a join has the symbol that all ways in agree on; two that agree everywhere share a new
  // one.
  void join(std::size_t b, const std::vector<BlockId>& ways) override;
  // Lengths by the shape column of the table; then what is special about the instruction.
  void inst(const Inst& in) override;
  bool tell(const Inst& call) override;
  bool take(const Inst& call) override;
  void unknown(ValueId v) override { fresh(v); }
  void leave() override;

  ValueFacts& facts(ValueId v) { return k_.values[static_cast<std::size_t>(v)]; }
  [[nodiscard]] Type type(ValueId v) const { return f_.value_types[static_cast<std::size_t>(v)]; }
  [[nodiscard]] bool has_sum(ValueId v) const { return type(v) != Type::kFloat && type(v) != Type::kPair; }
  [[nodiscard]] const Inst* maker(ValueId v) const { return shape_.makers[static_cast<std::size_t>(v)]; }
  [[nodiscard]] ValueId argument(BlockId from, std::size_t i) const {
    return f_.blocks[static_cast<std::size_t>(from)].end.arguments[i];
  }
  void fresh(ValueId v);

  // Is the symbol of every way this one, or known to be equal to it on that way?
  [[nodiscard]] bool agree(const std::vector<BlockId>& ways, const std::vector<Symbol>& symbols,
                           Symbol candidate) const;

  // Do the branches that lead to this block, each the only way there that is reached, find the two numbers
  // equal?
  bool equal_on(BlockId block, Symbol a, Symbol b) const;

  void note_equal(ValueId condition, bool answer, std::vector<std::pair<Symbol, Symbol>>& equal) const;

  // Does the answer to this comparison say that the two numbers are equal? What is not negative and not above
  // zero is zero.
  [[nodiscard]] bool means_equal(const Inst& comparison, bool answer) const;

  void take_results(const Inst& call, const Results& known, const std::vector<Symbol>& given);
  // Lengths and sums of a call's operands.
  [[nodiscard]] std::vector<Symbol> given_by(const Inst& call);

  void note_count(ValueId v);
  [[nodiscard]] bool is_count(Symbol s) const {
    return static_cast<std::size_t>(s) < counts_.size() && counts_[static_cast<std::size_t>(s)];
  }
  void constant(const Inst& in);

  void by_shape(const Inst& in);

  void by_kind(const Inst& in);

  // Indices: 0, 1, ... over one segment is below its length; moving elements keeps that.
  void bounds(const Inst& in, ValueFacts& out);

  // One number per segment put at a constant place, over others put at other constant places, over zeros:
  // how legacy code makes a sequence of two. The sum is that of the numbers put.
  std::optional<Symbol> sum_of_placed(const Inst& outermost);

  // One number per segment distributed over segments of n and others put at constant places: how a sequence
  // of n expressions is made. The sum is that of the numbers left and put.
  std::optional<Symbol> sum_of_list(const Inst& outermost);

  // The number that every element is, and the length that every segment has, if known.
  [[nodiscard]] std::optional<std::int64_t> one_number(ValueId v) const;
  [[nodiscard]] std::optional<std::int64_t> one_length(ValueId descriptor) const;

  // A vector of flags or its negation.
  struct Flag {
    ValueId flags = kNoValue;
    bool negated = false;
    friend auto operator<=>(const Flag&, const Flag&) = default;
  };
  [[nodiscard]] Flag flag_of(ValueId v) const;
  // The flags that chose these indices from 0, 1, ... over one segment.
  [[nodiscard]] std::optional<Flag> chosen_by(ValueId indices) const;
  // Sum of the elements (of a descriptor: lengths) of `v` whose flag is T: one symbol for each choice.
  Symbol sum_of_kept(ValueId v, Flag flag);
  void find_lengths(std::size_t b, const std::vector<BlockId>& ways, std::size_t descriptor);
  // Of a descriptor the lengths that it is made of; else, and if they are its own, the value.
  [[nodiscard]] ValueId lengths_behind(ValueId v) const;

  [[nodiscard]] bool describes_singles(const Inst& descriptor) const;

  // Does INDEX start at 0 with stride 1 everywhere?
  [[nodiscard]] bool counts_up(const Inst& in) const;

  SizeAnalysis& all_;
  const Module& m_;
  FunctionFacts& k_;
  Summary bound_;  // what was taken for granted about its parameters; a recursive call may take from that
  std::map<Symbol, std::int64_t> class_of_;  // of parameters' symbols
  std::map<std::pair<ValueId, Flag>, Symbol> kept_;
  std::map<ValueId, ValueId> lengths_of_;  // block parameters: a descriptor's lengths, if they come along
  std::vector<bool> counts_;  // by symbol: not negative, of flags set or the total of a descriptor
};

}  // namespace nvm::ssa
