#include "bytecode/ssa/facts.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/constants.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

Symbol Symbols::fresh() {
  nodes_.push_back({});
  return static_cast<Symbol>(nodes_.size()) - 1;
}

Symbol Symbols::intern(Node n) {
  const auto [it, fresh] = index_.try_emplace(n, static_cast<Symbol>(nodes_.size()));
  if (fresh) nodes_.push_back(n);
  return it->second;
}

Symbol Symbols::constant(std::int64_t value) { return intern({Kind::kConstant, value, 0}); }

Symbol Symbols::add(Symbol a, Symbol b) {
  if (node(a).kind == Kind::kSubtract && node(a).b == b) return static_cast<Symbol>(node(a).a);
  if (node(b).kind == Kind::kSubtract && node(b).b == a) return static_cast<Symbol>(node(b).a);
  if (is_constant(a) && value(a) == 0) return b;
  if (is_constant(b) && value(b) == 0) return a;
  return intern({Kind::kAdd, std::min(a, b), std::max(a, b)});
}

Symbol Symbols::subtract(Symbol a, Symbol b) {
  if (node(b).kind == Kind::kSubtract && node(b).a == a) return static_cast<Symbol>(node(b).b);
  if (node(a).kind == Kind::kAdd && node(a).a == b) return static_cast<Symbol>(node(a).b);
  if (node(a).kind == Kind::kAdd && node(a).b == b) return static_cast<Symbol>(node(a).a);
  if (a == b) return constant(0);
  if (is_constant(b) && value(b) == 0) return a;
  return intern({Kind::kSubtract, a, b});
}

Symbol Symbols::scale(std::int64_t factor, Symbol of) {
  if (factor == 0) return constant(0);
  if (factor == 1) return of;
  return intern({Kind::kScale, factor, of});
}

namespace {

// What a caller and its callee tell each other: a slot is a symbol of the other side's making. Slots of one
// value: length, sum, sign.
struct Slot {
  enum class Kind : std::uint8_t { kNone, kConstant, kClass, kOwn } kind = Kind::kNone;
  std::int64_t number = 0;  // the constant; the class (of parameters); which of the results' own symbols
  friend auto operator<=>(const Slot&, const Slot&) = default;
};
struct Summary {
  std::vector<Slot> slots;        // two for each value
  std::vector<bool> nonnegative;  // for each value
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

class Analysis {
 public:
  Analysis(const Module& m, const std::vector<ParameterClasses>& most)
      : m_(m),
        parameters_(m.functions.size()),
        results_(m.functions.size()),
        facts_(m.functions.size()),
        callers_(m.functions.size()),
        queued_(m.functions.size(), false),
        rounds_(m.functions.size(), 0) {
    for (std::size_t f = 0; f < most.size(); ++f)
      if (!most[f].empty()) parameters_[f] = from_classes(most[f]);
  }

  std::vector<FunctionFacts> run() {
    if (!parameters_[static_cast<std::size_t>(m_.entry)])
      parameters_[static_cast<std::size_t>(m_.entry)] = Summary{};
    enqueue(m_.entry);
    drain();
    // What the entry does not reach: nothing is known about its parameters.
    for (std::size_t f = 0; f < m_.functions.size(); ++f) {
      if (rounds_[f] > 0) continue;
      if (!parameters_[f]) parameters_[f] = unknown(m_.functions[f].blocks[0].parameters.size());
      enqueue(static_cast<FunctionId>(f));
    }
    drain();
    give_up_ = true;  // calls that never return: their results are anything
    for (std::size_t f = 0; f < m_.functions.size(); ++f) function(static_cast<FunctionId>(f));
    return std::move(facts_);
  }

 private:
  static constexpr int kMaxRounds = 40;  // per function; far above what is seen, then nothing is assumed

  static Summary unknown(std::size_t values) {
    Summary s;
    for (std::size_t i = 0; i < 2 * values; ++i)
      s.slots.push_back({Slot::Kind::kClass, static_cast<std::int64_t>(i)});
    s.nonnegative.assign(values, false);
    return s;
  }

  static Summary from_classes(const ParameterClasses& classes) {
    Summary s;
    for (const std::int32_t c : classes)
      s.slots.push_back(c == kClassOne ? Slot{Slot::Kind::kConstant, 1} : Slot{Slot::Kind::kClass, c});
    s.nonnegative.assign(classes.size() / 2, false);
    return s;
  }

  void enqueue(FunctionId f) {
    if (queued_[static_cast<std::size_t>(f)]) return;
    queued_[static_cast<std::size_t>(f)] = true;
    queue_.push_back(f);
  }

  void drain() {
    while (!queue_.empty()) {
      const FunctionId f = queue_.front();
      queue_.pop_front();
      queued_[static_cast<std::size_t>(f)] = false;
      if (++rounds_[static_cast<std::size_t>(f)] > kMaxRounds)
        parameters_[static_cast<std::size_t>(f)] =
            unknown(m_.functions[static_cast<std::size_t>(f)].blocks[0].parameters.size());
      function(f);
    }
  }

  void function(FunctionId id) {
    id_ = id;
    f_ = &m_.functions[static_cast<std::size_t>(id)];
    facts_[static_cast<std::size_t>(id)] = FunctionFacts{};
    k_ = &facts_[static_cast<std::size_t>(id)];
    k_->values.resize(f_->value_types.size());
    k_->one = k_->symbols.constant(1);
    from_ = predecessors(*f_);
    makers_ = makers_of(*f_);
    idom_ = immediate_dominators(*f_);
    reached_.assign(f_->blocks.size(), false);
    returned_.clear();
    kept_.clear();
    for (std::size_t b = 0; b < f_->blocks.size(); ++b) block(b);
    if (!returned_.empty()) publish_results();
  }

  void block(std::size_t b) {
    const Block& block = f_->blocks[b];
    if (b == 0)
      bind_parameters();
    else if (!join(b))
      return fill(block);
    reached_[b] = true;
    for (const Inst& in : block.insts) {
      if (in.op == Op::kCall && !call(in)) {
        reached_[b] = false;  // as far as is known, the call does not return
        return fill(block);
      }
      if (in.op != Op::kCall) inst(in);
    }
    if (block.end.kind == Exit::kReturn) returned_.push_back(b);
  }

  // Gives symbols to what was not reached, so that every value has some.
  void fill(const Block& block) {
    for (const ValueId p : block.parameters) fresh(p);
    for (const Inst& in : block.insts)
      for (std::uint32_t r = 0; r < in.results; ++r) {
        const ValueId v = in.first_result + static_cast<ValueId>(r);
        if (facts(v).length == kNoSymbol) fresh(v);
      }
  }

  ValueFacts& facts(ValueId v) { return k_->values[static_cast<std::size_t>(v)]; }
  Type type(ValueId v) const { return f_->value_types[static_cast<std::size_t>(v)]; }
  bool has_sum(ValueId v) const { return type(v) != Type::kFloat && type(v) != Type::kPair; }

  void fresh(ValueId v) {
    facts(v).length = k_->symbols.fresh();
    facts(v).sum = k_->symbols.fresh();
    facts(v).nonnegative = type(v) == Type::kBool;
  }

  void bind_parameters() {
    const Summary& in = *parameters_[static_cast<std::size_t>(id_)];
    FreshBy<Slot> make(k_->symbols);
    auto symbol = [&](const Slot& s) {
      return s.kind == Slot::Kind::kConstant ? k_->symbols.constant(s.number) : make(s);
    };
    class_of_.clear();
    for (std::size_t i = 0; i < f_->blocks[0].parameters.size(); ++i) {
      ValueFacts& v = facts(f_->blocks[0].parameters[i]);
      v.length = symbol(in.slots[2 * i]);
      v.sum = symbol(in.slots[2 * i + 1]);
      v.nonnegative = in.nonnegative[i];
      if (in.slots[2 * i].kind == Slot::Kind::kClass) class_of_[v.length] = in.slots[2 * i].number;
      if (in.slots[2 * i + 1].kind == Slot::Kind::kClass) class_of_[v.sum] = in.slots[2 * i + 1].number;
    }
  }

  // A parameter of a join has the symbol that all ways in agree on; two that agree everywhere share a new
  // one. False if no way in is reached.
  bool join(std::size_t b) {
    std::vector<BlockId> ways;
    for (const BlockId p : from_[b])
      if (reached_[static_cast<std::size_t>(p)]) ways.push_back(p);
    if (ways.empty()) return false;
    const std::vector<ValueId>& parameters = f_->blocks[b].parameters;
    FreshBy<std::vector<Symbol>> make(k_->symbols);
    auto merge = [&](std::size_t i, auto part) {
      std::vector<Symbol> symbols;
      for (const BlockId p : ways)
        symbols.push_back(facts(f_->blocks[static_cast<std::size_t>(p)].end.arguments[i]).*part);
      for (const Symbol candidate : symbols)
        if (agree(ways, symbols, candidate)) return candidate;
      return make(symbols);
    };
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      ValueFacts& v = facts(parameters[i]);
      v.length = merge(i, &ValueFacts::length);
      v.sum = merge(i, &ValueFacts::sum);
      v.nonnegative = std::all_of(ways.begin(), ways.end(), [&](BlockId p) {
        return facts(f_->blocks[static_cast<std::size_t>(p)].end.arguments[i]).nonnegative;
      });
    }
    return true;
  }

  // Is the symbol of every way this one, or known to be equal to it on that way?
  bool agree(const std::vector<BlockId>& ways, const std::vector<Symbol>& symbols, Symbol candidate) const {
    for (std::size_t w = 0; w < ways.size(); ++w)
      if (symbols[w] != candidate && !equal_on(ways[w], symbols[w], candidate)) return false;
    return true;
  }

  // Does a branch that leads to this block alone compare the two numbers and find them equal?
  bool equal_on(BlockId block, Symbol a, Symbol b) const {
    constexpr int kMaxSteps = 16;
    for (int step = 0; step < kMaxSteps && block > 0; ++step) {
      const std::vector<BlockId>& from = from_[static_cast<std::size_t>(block)];
      if (from.size() == 1) {
        const Terminator& end = f_->blocks[static_cast<std::size_t>(from[0])].end;
        const Inst* in =
            end.kind == Exit::kBranch ? makers_[static_cast<std::size_t>(end.condition)] : nullptr;
        if (in != nullptr && in->op == Op::kEq && in->word == TypeWord::kInt && end.target == block &&
            k_->is_scalar(end.condition)) {
          const Symbol x = k_->of(f_->operands_of(*in)[0]).sum;
          const Symbol y = k_->of(f_->operands_of(*in)[1]).sum;
          if ((x == a && y == b) || (x == b && y == a)) return true;
        }
      }
      block = idom_[static_cast<std::size_t>(block)];
    }
    return false;
  }

  // Tells the callee about its operands; takes over what it says about its results. False if it is not
  // known to return.
  bool call(const Inst& in) {
    const auto to = static_cast<std::size_t>(in.index);
    std::vector<Symbol> given;
    std::vector<bool> nonnegative;
    for (std::uint32_t i = 0; i < in.operands; ++i) {
      const ValueFacts& v = facts(f_->operands_of(in)[i]);
      given.push_back(v.length);
      given.push_back(v.sum);
      nonnegative.push_back(v.nonnegative);
    }
    if (!give_up_) {
      if (std::find(callers_[to].begin(), callers_[to].end(), id_) == callers_[to].end())
        callers_[to].push_back(id_);
      tell(in.index, given, nonnegative);
    }
    if (!results_[to]) {
      if (!give_up_) return false;
      for (std::uint32_t r = 0; r < in.results; ++r) fresh(in.first_result + static_cast<ValueId>(r));
      return true;
    }
    take_results(in, results_[to]->parameters, results_[to]->results, given);
    return true;
  }

  // Meets what is known about the callee's parameters with one more call.
  void tell(FunctionId callee, const std::vector<Symbol>& given, const std::vector<bool>& nonnegative) {
    std::optional<Summary>& known = parameters_[static_cast<std::size_t>(callee)];
    Summary now;
    std::map<std::pair<Slot, Symbol>, std::int64_t> classes;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Slot before = known ? known->slots[i] : Slot{};
      const bool constant = k_->symbols.is_constant(given[i]);
      const Slot same{Slot::Kind::kConstant, constant ? k_->symbols.value(given[i]) : 0};
      if (constant && (!known || before == same)) {
        now.slots.push_back(same);
        continue;
      }
      const auto fresh = static_cast<std::int64_t>(classes.size());
      const std::int64_t number = classes.try_emplace({before, given[i]}, fresh).first->second;
      now.slots.push_back({Slot::Kind::kClass, number});
    }
    for (std::size_t i = 0; i < nonnegative.size(); ++i)
      now.nonnegative.push_back(nonnegative[i] && (!known || known->nonnegative[i]));
    const bool seen = rounds_[static_cast<std::size_t>(callee)] > 0;
    if (known && *known == now && seen) return;
    known = std::move(now);
    enqueue(callee);
  }

  void take_results(const Inst& in, const Summary& parameters, const Summary& results,
                    const std::vector<Symbol>& given) {
    FreshBy<Slot> make(k_->symbols);
    auto symbol = [&](const Slot& s) {
      if (s.kind == Slot::Kind::kConstant) return k_->symbols.constant(s.number);
      if (s.kind == Slot::Kind::kClass)
        for (std::size_t i = 0; i < given.size(); ++i)
          if (parameters.slots[i] == s) return given[i];
      return make(s);
    };
    for (std::uint32_t r = 0; r < in.results; ++r) {
      ValueFacts& v = facts(in.first_result + static_cast<ValueId>(r));
      v.length = symbol(results.slots[2 * r]);
      v.sum = symbol(results.slots[2 * r + 1]);
      v.nonnegative = results.nonnegative[r];
    }
  }

  void publish_results() {
    Summary out;
    std::map<std::vector<Symbol>, std::int64_t> own;
    auto slot = [&](std::size_t i, auto part) -> Slot {
      std::vector<Symbol> symbols;
      for (const std::size_t b : returned_) symbols.push_back(facts(f_->blocks[b].end.arguments[i]).*part);
      const bool same =
          std::all_of(symbols.begin(), symbols.end(), [&](Symbol s) { return s == symbols[0]; });
      if (same && k_->symbols.is_constant(symbols[0]))
        return {Slot::Kind::kConstant, k_->symbols.value(symbols[0])};
      const auto it = class_of_.find(symbols[0]);
      if (same && it != class_of_.end()) return {Slot::Kind::kClass, it->second};
      return {Slot::Kind::kOwn,
              own.try_emplace(symbols, static_cast<std::int64_t>(own.size())).first->second};
    };
    for (std::size_t i = 0; i < f_->results.size(); ++i) {
      out.slots.push_back(slot(i, &ValueFacts::length));
      out.slots.push_back(slot(i, &ValueFacts::sum));
      out.nonnegative.push_back(std::all_of(returned_.begin(), returned_.end(), [&](std::size_t b) {
        return facts(f_->blocks[b].end.arguments[i]).nonnegative;
      }));
    }
    std::optional<Results>& known = results_[static_cast<std::size_t>(id_)];
    if (rounds_[static_cast<std::size_t>(id_)] > 2 * kMaxRounds) {
      out = unknown(f_->results.size());
      for (Slot& s : out.slots) s.kind = Slot::Kind::kOwn;
    }
    Results now{*parameters_[static_cast<std::size_t>(id_)], std::move(out)};
    if (known && *known == now) return;
    known = std::move(now);
    for (const FunctionId caller : callers_[static_cast<std::size_t>(id_)]) enqueue(caller);
  }

  // Lengths by the shape column of the table; then what is special about the instruction.
  void inst(const Inst& in) {
    if (in.op == Op::kConst) return constant(in);
    for (std::uint32_t r = 0; r < in.results; ++r) fresh(in.first_result + static_cast<ValueId>(r));
    if (in.op == Op::kPair || in.op == Op::kUnpair) return;
    by_shape(in);
    by_kind(in);
  }

  void constant(const Inst& in) {
    const Constant& c = m_.constants[static_cast<std::size_t>(in.index)];
    ValueFacts& v = facts(in.first_result);
    if (c.input >= 0) return fresh(in.first_result);
    const std::size_t n = c.word == TypeWord::kFloat ? c.floats.size() : c.ints.size();
    v.length = k_->symbols.constant(static_cast<std::int64_t>(n));
    std::uint64_t sum = 0;
    for (const std::int64_t x : c.ints) sum += static_cast<std::uint64_t>(x);
    v.sum = has_sum(in.first_result)
                ? k_->symbols.constant(wrap_int(static_cast<std::int64_t>(sum), m_.int_bits))
                : k_->symbols.fresh();
    v.nonnegative = std::all_of(c.ints.begin(), c.ints.end(),
                                [](std::int64_t x) { return x >= 0 && x <= (std::int64_t{1} << 31); });
  }

  void by_shape(const Inst& in) {
    const Shape& shape = op_shape(in.op);
    Symbol letters[128];
    std::fill(std::begin(letters), std::end(letters), kNoSymbol);
    letters[static_cast<unsigned char>('1')] = k_->one;
    auto bound = [&](char c) -> Symbol& { return letters[static_cast<unsigned char>(c)]; };
    for (std::uint32_t i = 0; i < in.operands; ++i) {
      const ShapeTerm& t = shape.terms[i];
      const ValueFacts& v = facts(f_->operands_of(in)[i]);
      if (t.length != '_' && bound(t.length) == kNoSymbol) bound(t.length) = v.length;
      if (t.total != 0 && bound(t.total) == kNoSymbol) bound(t.total) = v.sum;
    }
    for (std::uint32_t r = 0; r < in.results; ++r) {
      const ShapeTerm& t = shape.terms[in.operands + r];
      ValueFacts& v = facts(in.first_result + static_cast<ValueId>(r));
      if (t.length != '_') {
        if (bound(t.length) == kNoSymbol) bound(t.length) = v.length;
        v.length = bound(t.length);
      }
      if (t.total == 0) continue;
      if (bound(t.total) == kNoSymbol) bound(t.total) = v.sum;
      v.sum = bound(t.total);
    }
  }

  void by_kind(const Inst& in) {
    const ValueId* operands = f_->operands_of(in);
    auto of = [&](std::uint32_t i) -> const ValueFacts& { return facts(operands[i]); };
    if (in.results == 0) return;
    ValueFacts& out = facts(in.first_result);
    switch (in.op) {
      case Op::kMakeSegdes: out.sum = of(0).sum; break;
      case Op::kLengths:
        out.sum = of(0).sum;
        out.nonnegative = true;
        break;
      case Op::kLength:
        out.sum = of(0).length;
        out.nonnegative = true;
        break;
      case Op::kBtoI:
        out.sum = of(0).sum;
        out.nonnegative = true;
        break;
      case Op::kPack: {
        ValueFacts& lengths = facts(in.first_result + 1);
        out.length = lengths.sum = of(1).sum;
        out.nonnegative = of(0).nonnegative;
        if (in.word == TypeWord::kInt) out.sum = sum_of_kept(operands[0], flag_of(operands[1]));
        break;
      }
      case Op::kAddReduce:
        if (in.word == TypeWord::kInt) out.sum = of(0).sum;
        out.nonnegative = in.word == TypeWord::kInt && of(0).nonnegative && wide();
        break;
      case Op::kAddScan: out.nonnegative = of(0).nonnegative && wide(); break;
      case Op::kAdd:
        if (in.word == TypeWord::kInt) out.sum = k_->symbols.add(of(0).sum, of(1).sum);
        break;
      case Op::kSub:
        if (in.word == TypeWord::kInt) out.sum = k_->symbols.subtract(of(0).sum, of(1).sum);
        break;
      case Op::kMul:
        if (in.word != TypeWord::kInt) break;
        if (const auto number = one_number(operands[0]))
          out.sum = k_->symbols.scale(*number, of(1).sum);
        else if (const auto factor = one_number(operands[1]))
          out.sum = k_->symbols.scale(*factor, of(0).sum);
        break;
      case Op::kNot:
        if (in.word == TypeWord::kBool) out.sum = k_->symbols.subtract(of(0).length, of(0).sum);
        break;
      case Op::kDist:
        if (in.word == TypeWord::kBool) out.sum = sum_of_kept(operands[1], flag_of(operands[0]));
        if (in.word != TypeWord::kInt) break;
        // Copies of one number, or as many copies of each.
        if (const auto number = one_number(operands[0]))
          out.sum = k_->symbols.scale(*number, out.length);
        else if (const auto copies = one_length(operands[1]))
          out.sum = k_->symbols.scale(*copies, of(0).sum);
        out.nonnegative = of(0).nonnegative;
        break;
      case Op::kDpermute:
        out.nonnegative = of(0).nonnegative && of(2).nonnegative;
        if (const auto sum = sum_of_placed(in)) out.sum = *sum;
        if (auto flag = chosen_by(operands[1]); flag && in.word == TypeWord::kInt) {
          flag->negated = !flag->negated;
          out.sum = k_->symbols.add(of(0).sum, sum_of_kept(operands[2], *flag));
        }
        break;
      case Op::kBpermute:
        if (const auto flag = chosen_by(operands[1]); flag && in.word == TypeWord::kInt)
          out.sum = sum_of_kept(operands[0], *flag);
        out.nonnegative = of(0).nonnegative;
        break;
      case Op::kPermute:
      case Op::kExtract:
      case Op::kFpermute: out.nonnegative = of(0).nonnegative; break;
      case Op::kRankUp:
      case Op::kRankDown: out.nonnegative = true; break;
      default: break;
    }
    bounds(in, out);
  }

  // Indices: 0, 1, ... over one segment is below its length; moving elements keeps that.
  void bounds(const Inst& in, ValueFacts& out) {
    const ValueId* operands = f_->operands_of(in);
    if (in.op == Op::kIndex) {
      if (facts(operands[2]).length == k_->one && counts_up(in)) out.below = facts(operands[2]).sum;
      out.nonnegative = counts_up(in);
    }
    if (in.op == Op::kPack || in.op == Op::kBpermute || in.op == Op::kExtract || in.op == Op::kDist)
      out.below = facts(operands[0]).below;
  }

  // One number per segment put at a constant place, over others put at other constant places, over zeros:
  // how legacy code makes a sequence of two. The sum is that of the numbers put.
  std::optional<Symbol> sum_of_placed(const Inst& outermost) {
    std::vector<std::int64_t> places;
    std::optional<Symbol> sum;
    const Inst* in = &outermost;
    while (in != nullptr && in->op == Op::kDpermute && in->word == TypeWord::kInt) {
      const ValueId* operands = f_->operands_of(*in);
      const Inst* single = makers_[static_cast<std::size_t>(operands[3])];
      const Constant* place = constant_elements(m_, *f_, operands[1], makers_);
      if (place == nullptr || place->ints.size() != 1 || operands[4] != f_->operands_of(outermost)[4])
        return std::nullopt;
      if (single == nullptr || !describes_singles(*single)) return std::nullopt;
      if (std::find(places.begin(), places.end(), place->ints[0]) == places.end())
        sum = sum ? k_->symbols.add(*sum, facts(operands[0]).sum) : facts(operands[0]).sum;
      places.push_back(place->ints[0]);
      if (all_elements(m_, *f_, operands[2], makers_, 0)) return sum;
      in = makers_[static_cast<std::size_t>(operands[2])];
    }
    return std::nullopt;
  }

  // The number that every element is, and the length that every segment has, if known.
  [[nodiscard]] std::optional<std::int64_t> one_number(ValueId v) const {
    const Constant* c = constant_elements(m_, *f_, v, makers_);
    if (c == nullptr || c->word != TypeWord::kInt || c->ints.size() != 1) return std::nullopt;
    return c->ints[0];
  }
  [[nodiscard]] std::optional<std::int64_t> one_length(ValueId descriptor) const {
    const Inst* in = makers_[static_cast<std::size_t>(descriptor)];
    if (in == nullptr) return std::nullopt;
    if (in->op == Op::kMakeSegdes) return one_number(f_->operands_of(*in)[0]);
    if (in->op != Op::kConst) return std::nullopt;
    const Constant& c = m_.constants[static_cast<std::size_t>(in->index)];
    if (c.input >= 0 || c.ints.size() != 1) return std::nullopt;
    return c.ints[0];
  }

  // A vector of flags or its negation.
  struct Flag {
    ValueId flags = kNoValue;
    bool negated = false;
    friend auto operator<=>(const Flag&, const Flag&) = default;
  };
  [[nodiscard]] Flag flag_of(ValueId v) const {
    Flag flag{v, false};
    const Inst* in = makers_[static_cast<std::size_t>(v)];
    while (in != nullptr && in->op == Op::kNot) {
      flag = {f_->operands_of(*in)[0], !flag.negated};
      in = makers_[static_cast<std::size_t>(flag.flags)];
    }
    return flag;
  }
  // The flags that chose these indices from 0, 1, ... over one segment.
  [[nodiscard]] std::optional<Flag> chosen_by(ValueId indices) const {
    const Inst* pack = makers_[static_cast<std::size_t>(indices)];
    if (pack == nullptr || pack->op != Op::kPack || pack->first_result != indices) return std::nullopt;
    const ValueId* operands = f_->operands_of(*pack);
    const Inst* all = makers_[static_cast<std::size_t>(operands[0])];
    if (all == nullptr || all->op != Op::kIndex || !counts_up(*all)) return std::nullopt;
    if (f_->operands_of(*all)[2] != operands[2] || !k_->is_scalar(operands[2])) return std::nullopt;
    return flag_of(operands[1]);
  }
  // Sum of the elements (of a descriptor: lengths) of `v` whose flag is T: one symbol for each choice.
  Symbol sum_of_kept(ValueId v, Flag flag) {
    const Inst* in = makers_[static_cast<std::size_t>(v)];
    while (in != nullptr && (in->op == Op::kLengths || in->op == Op::kMakeSegdes)) {
      v = f_->operands_of(*in)[0];
      in = makers_[static_cast<std::size_t>(v)];
    }
    // Where these flags chose the places, what was put there; where the others did, what was there before.
    while (in != nullptr && in->op == Op::kDpermute && in->word == TypeWord::kInt) {
      const std::optional<Flag> put = chosen_by(f_->operands_of(*in)[1]);
      if (put == flag) return facts(f_->operands_of(*in)[0]).sum;
      if (!put || put->flags != flag.flags) break;
      v = f_->operands_of(*in)[2];
      in = makers_[static_cast<std::size_t>(v)];
    }
    if (all_elements(m_, *f_, v, makers_, 0)) return k_->symbols.constant(0);
    const auto [it, fresh] = kept_.try_emplace({v, flag}, kNoSymbol);
    if (fresh) it->second = k_->symbols.fresh();
    return it->second;
  }

  [[nodiscard]] bool describes_singles(const Inst& descriptor) const {
    if (descriptor.op == Op::kMakeSegdes)
      return all_elements(m_, *f_, f_->operands_of(descriptor)[0], makers_, 1);
    if (descriptor.op != Op::kConst) return false;
    const Constant& c = m_.constants[static_cast<std::size_t>(descriptor.index)];
    return c.input < 0 && std::all_of(c.ints.begin(), c.ints.end(), [](std::int64_t n) { return n == 1; });
  }

  // Does INDEX start at 0 with stride 1 everywhere?
  [[nodiscard]] bool counts_up(const Inst& in) const {
    return all_elements(m_, *f_, f_->operands_of(in)[0], makers_, 0) &&
           all_elements(m_, *f_, f_->operands_of(in)[1], makers_, 1);
  }

  // Sums of what is not negative can wrap only in a 32-bit run, see ValueFacts.
  [[nodiscard]] bool wide() const { return m_.int_bits == IntBits::k64; }

  const Module& m_;
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
  std::vector<BlockId> idom_;
  std::map<std::pair<ValueId, Flag>, Symbol> kept_;
  std::vector<bool> reached_;
  std::vector<std::size_t> returned_;
  std::map<Symbol, std::int64_t> class_of_;  // of parameters' symbols
};

}  // namespace

std::vector<FunctionFacts> analyse_sizes(const Module& module, const std::vector<ParameterClasses>& most) {
  return Analysis(module, most).run();
}

bool lengths_agree(const FunctionFacts& facts, const Function& function, const Inst& in) {
  if (in.op == Op::kConst || in.op == Op::kPair || in.op == Op::kUnpair || in.op == Op::kCall) return true;
  const Shape& shape = op_shape(in.op);
  Symbol letters[128];
  std::fill(std::begin(letters), std::end(letters), kNoSymbol);
  letters[static_cast<unsigned char>('1')] = facts.one;
  auto agrees = [&](char letter, Symbol symbol) {
    if (letter == 0 || letter == '_') return true;
    Symbol& bound = letters[static_cast<unsigned char>(letter)];
    if (bound == kNoSymbol) bound = symbol;
    return bound == symbol;
  };
  for (std::uint32_t i = 0; i < in.operands; ++i) {
    const ValueFacts& v = facts.of(function.operands_of(in)[i]);
    if (!agrees(shape.terms[i].length, v.length) || !agrees(shape.terms[i].total, v.sum)) return false;
  }
  return true;
}

const Constant* constant_elements(const Module& module, const Function& function, ValueId v,
                                  const std::vector<const Inst*>& makers) {
  const Inst* in = makers[static_cast<std::size_t>(v)];
  while (in != nullptr && in->op == Op::kDist)
    in = makers[static_cast<std::size_t>(function.operands_of(*in)[0])];
  if (in == nullptr || in->op != Op::kConst) return nullptr;
  const Constant& c = module.constants[static_cast<std::size_t>(in->index)];
  return c.input >= 0 ? nullptr : &c;
}

bool all_elements(const Module& module, const Function& function, ValueId v,
                  const std::vector<const Inst*>& makers, std::int64_t number) {
  const Constant* c = constant_elements(module, function, v, makers);
  return c != nullptr && c->word == TypeWord::kInt &&
         std::all_of(c->ints.begin(), c->ints.end(), [&](std::int64_t x) { return x == number; });
}

namespace {

// Is the index operand of a move inside the segments it points into, whatever the data?
bool in_range(const Module& module, const FunctionFacts& facts, const Function& function, const Inst& in,
              const std::vector<const Inst*>& makers) {
  const ValueId* operands = function.operands_of(in);
  ValueId into = kNoValue, along = kNoValue;  // descriptors of what is pointed into, and of the indices
  switch (in.op) {
    case Op::kExtract: into = operands[2]; break;
    case Op::kPermute: into = along = operands[2]; break;
    case Op::kBpermute:
      into = operands[2];
      along = operands[3];
      break;
    case Op::kDpermute:
      into = operands[4];
      along = operands[3];
      break;
    default: return false;
  }
  const ValueFacts& index = facts.of(operands[1]);
  if (facts.of(into).length == facts.one && index.below != kNoSymbol && index.below == facts.of(into).sum)
    return true;
  const Inst* made = makers[static_cast<std::size_t>(operands[1])];
  return made != nullptr && made->op == Op::kIndex && into == along &&
         function.operands_of(*made)[2] == into &&
         all_elements(module, function, function.operands_of(*made)[0], makers, 0) &&
         all_elements(module, function, function.operands_of(*made)[1], makers, 1);
}

}  // namespace

bool cannot_fail(const Module& module, const FunctionFacts& facts, const Function& function, const Inst& in,
                 const std::vector<const Inst*>& makers) {
  const OpInfo& info = op_info(in.op);
  if (in.op == Op::kCall || info.effect == Effect::kOrdered || !lengths_agree(facts, function, in))
    return false;
  if (info.effect == Effect::kPure) return true;
  const ValueId* operands = function.operands_of(in);
  if (in.op == Op::kMakeSegdes) return facts.of(operands[0]).nonnegative;
  if (info.scalar == Scalar::kDiv || info.scalar == Scalar::kRem) {
    if (in.word == TypeWord::kFloat) return true;
    const Constant* divisor = constant_elements(module, function, operands[1], makers);
    return divisor != nullptr && std::none_of(divisor->ints.begin(), divisor->ints.end(),
                                              [](std::int64_t d) { return d == 0 || d == -1; });
  }
  return in_range(module, facts, function, in, makers);
}

std::vector<const Inst*> makers_of(const Function& function) {
  std::vector<const Inst*> makers(function.value_types.size(), nullptr);
  for (const Block& block : function.blocks)
    for (const Inst& in : block.insts)
      for (std::uint32_t r = 0; r < in.results; ++r)
        makers[static_cast<std::size_t>(in.first_result) + r] = &in;
  return makers;
}

}  // namespace nvm::ssa
