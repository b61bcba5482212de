// The analysis behind analyse_sizes: functions from their callers' facts in facts.cpp, instructions in
// facts_insts.cpp.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/facts.h"

namespace nvm::ssa {

// What a caller and its callee tell each other: a slot is a symbol of the other side's making. Slots of one
// value: length, sum.
struct Slot {
  enum class Kind : std::uint8_t { kNone, kConstant, kClass, kOwn } kind = Kind::kNone;
  std::int64_t number = 0;  // the constant; the class (of parameters); which of the results' own symbols
  friend auto operator<=>(const Slot&, const Slot&) = default;
};
struct Summary {
  std::vector<Slot> slots;       // two for each value
  std::vector<Numbers> numbers;  // for each value
  friend bool operator==(const Summary&, const Summary&) = default;
};

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

class SizeAnalysis {
 public:
  SizeAnalysis(const Module& m, const std::vector<ParameterClasses>& most, const std::vector<bool>& granted)
      : m_(m),
        granted_(granted),
        parameters_(m.functions.size()),
        results_(m.functions.size()),
        facts_(m.functions.size()),
        callers_(m.functions.size()),
        queued_(m.functions.size(), false),
        rounds_(m.functions.size(), 0) {
    for (std::size_t f = 0; f < most.size(); ++f)
      if (!most[f].empty()) parameters_[f] = from_classes(f, most[f]);
  }

  std::vector<FunctionFacts> run();

 private:
  static constexpr BlockId kNoBlock = -1, kSeveral = -2;
  static constexpr int kMaxRounds = 40;  // per function; far above what is seen, then nothing is assumed

  // Of values of these types nothing is known but that.
  [[nodiscard]] Summary unknown(const std::vector<Type>& types) const;
  [[nodiscard]] std::vector<Numbers> unknown_numbers(const std::vector<Type>& types) const;
  [[nodiscard]] std::vector<Type> parameter_types(std::size_t function) const;

  [[nodiscard]] Summary from_classes(std::size_t function, const ParameterClasses& classes) const;

  void enqueue(FunctionId f);

  void drain();

  void function(FunctionId id);

  void block(std::size_t b);

  // Gives symbols to what was not reached, so that every value has some.
  void fill(const Block& block);

  ValueFacts& facts(ValueId v) { return k_->values[static_cast<std::size_t>(v)]; }
  Type type(ValueId v) const { return f_->value_types[static_cast<std::size_t>(v)]; }
  bool has_sum(ValueId v) const { return type(v) != Type::kFloat && type(v) != Type::kPair; }

  void fresh(ValueId v);

  void bind_parameters();

  // A parameter of a join has the symbol that all ways in agree on; two that agree everywhere share a new
  // one. False if no way in is reached.
  bool join(std::size_t b);

  // Is the symbol of every way this one, or known to be equal to it on that way?
  bool agree(const std::vector<BlockId>& ways, const std::vector<Symbol>& symbols, Symbol candidate) const;

  // Do the branches that lead to this block, each the only way there that is reached, find the two numbers
  // equal?
  bool equal_on(BlockId block, Symbol a, Symbol b) const;

  void note_equal(ValueId condition, bool answer, std::vector<std::pair<Symbol, Symbol>>& equal) const;

  // Does the answer to this comparison say that the two numbers are equal? What is not negative and not above
  // zero is zero.
  [[nodiscard]] bool means_equal(const Inst& comparison, bool answer) const;

  // Tells the callee about its operands; takes over what it says about its results. False if it is not
  // known to return.
  bool call(const Inst& in);

  // Does a call pass what is taken for granted?
  [[nodiscard]] bool keeps(const Summary& parameters, const std::vector<Symbol>& given) const;

  // Meets what is known about the callee's parameters with one more call.
  void tell(FunctionId callee, const std::vector<Symbol>& given, const std::vector<Numbers>& numbers);

  void take_results(const Inst& in, const Summary& parameters, const Summary& results,
                    const std::vector<Symbol>& given);

  void publish_results();

  // Lengths by the shape column of the table; then what is special about the instruction.
  void inst(const Inst& in);
  void note_count(ValueId v);
  // What is known of the elements of the first result.
  [[nodiscard]] Numbers numbers_of(const Inst& in);

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

  // Nothing is taken for granted about the parameters of a function that measures time.
  [[nodiscard]] bool apart(std::size_t function) const { return measures(m_.functions[function]); }
  [[nodiscard]] int bits() const { return static_cast<int>(m_.int_bits); }

  [[nodiscard]] bool granted(std::size_t function) const { return !granted_.empty() && granted_[function]; }

  const Module& m_;
  const std::vector<bool>& granted_;
  std::vector<std::optional<Summary>> parameters_;
  std::vector<std::optional<Results>> results_;
  std::vector<FunctionFacts> facts_;
  std::vector<std::vector<FunctionId>> callers_;
  std::deque<FunctionId> queue_;
  std::vector<bool> queued_;
  std::vector<int> rounds_;
  bool give_up_ = false;

  // Of the function being analysed.
  FunctionId id_ = 0;
  const Function* f_ = nullptr;
  FunctionFacts* k_ = nullptr;
  std::vector<std::vector<BlockId>> from_;
  std::vector<const Inst*> makers_;
  Dominators idom_;
  std::map<std::pair<ValueId, Flag>, Symbol> kept_;
  std::map<ValueId, ValueId> lengths_of_;  // block parameters: a descriptor's lengths, if they come along
  std::set<Symbol> counts_;        // numbers known not to be negative: of flags set, totals of descriptors
  std::vector<Numbers> operands_;  // of the instruction that numbers_of() looks at
  std::vector<bool> reached_;
  std::vector<std::size_t> returned_;
  Summary bound_;  // what was taken for granted about its parameters; a recursive call may take from that
  std::map<Symbol, std::int64_t> class_of_;  // of parameters' symbols
};

}  // namespace nvm::ssa
