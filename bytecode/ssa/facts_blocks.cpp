// Sizes within a function, from block to block, and at calls.
#include <algorithm>

#include "bytecode/ssa/facts_internal.h"

namespace nvm::ssa {

SizesOf::SizesOf(SizeAnalysis& all, const Module& m, FunctionId id, const FunctionShape& shape,
                 FunctionFacts& facts)
    : ForwardBody(id, m.functions[static_cast<std::size_t>(id)], shape), all_(all), m_(m), k_(facts) {
  k_ = FunctionFacts{};
  k_.values.resize(f_.value_types.size());
  k_.one = k_.symbols.constant(1);
}

void SizesOf::fresh(ValueId v) {
  facts(v).length = k_.symbols.fresh();
  facts(v).sum = k_.symbols.fresh();
}

void SizesOf::enter() {
  bound_ = all_.parameters(id_);
  FreshBy<Slot> make(k_.symbols);
  auto symbol = [&](const Slot& s) {
    return s.kind == Slot::Kind::kConstant ? k_.symbols.constant(s.number) : make(s);
  };
  for (std::size_t i = 0; i < f_.blocks[0].parameters.size(); ++i) {
    ValueFacts& v = facts(f_.blocks[0].parameters[i]);
    v.length = symbol(bound_[2 * i]);
    v.sum = symbol(bound_[2 * i + 1]);
    note_count(f_.blocks[0].parameters[i]);
    if (bound_[2 * i].kind == Slot::Kind::kClass) class_of_[v.length] = bound_[2 * i].number;
    if (bound_[2 * i + 1].kind == Slot::Kind::kClass) class_of_[v.sum] = bound_[2 * i + 1].number;
  }
}

void SizesOf::join(std::size_t b, const std::vector<BlockId>& ways) {
  const std::vector<ValueId>& parameters = f_.blocks[b].parameters;
  FreshBy<std::vector<Symbol>> make(k_.symbols);
  std::vector<Symbol> symbols(ways.size());
  auto merge = [&](std::size_t i, Symbol ValueFacts::*part) {
    bool same = true;
    for (std::size_t w = 0; w < ways.size(); ++w) {
      symbols[w] = facts(argument(ways[w], i)).*part;
      same = same && symbols[w] == symbols[0];
    }
    if (same) return symbols[0];
    for (const Symbol candidate : symbols)
      if (agree(ways, symbols, candidate)) return candidate;
    return make(symbols);
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ValueFacts& v = facts(parameters[i]);
    v.length = merge(i, &ValueFacts::length);
    v.sum = merge(i, &ValueFacts::sum);
    note_count(parameters[i]);
  }
  for (std::size_t d = 0; d < parameters.size(); ++d)
    if (type(parameters[d]) == Type::kSegdes) find_lengths(b, ways, d);
}

// A vector that is the lengths of a descriptor wherever both come from stays it.
void SizesOf::find_lengths(std::size_t b, const std::vector<BlockId>& ways, std::size_t descriptor) {
  const std::vector<ValueId>& parameters = f_.blocks[b].parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (type(parameters[i]) != Type::kInt) continue;
    const bool same = std::all_of(ways.begin(), ways.end(), [&](BlockId p) {
      return lengths_behind(argument(p, i)) == lengths_behind(argument(p, descriptor));
    });
    if (same) lengths_of_[parameters[descriptor]] = parameters[i];
  }
}

ValueId SizesOf::lengths_behind(ValueId v) const {
  for (;;) {
    const Inst* in = maker(v);
    const auto known = lengths_of_.find(v);
    if (in != nullptr && (in->op == Op::kLengths || in->op == Op::kMakeSegdes))
      v = f_.operands_of(*in)[0];
    else if (known != lengths_of_.end())
      v = known->second;
    else
      return v;
  }
}

bool SizesOf::agree(const std::vector<BlockId>& ways, const std::vector<Symbol>& symbols,
                    Symbol candidate) const {
  for (std::size_t w = 0; w < ways.size(); ++w)
    if (symbols[w] != candidate && !equal_on(ways[w], symbols[w], candidate)) return false;
  return true;
}

bool SizesOf::equal_on(BlockId block, Symbol a, Symbol b) const {
  constexpr int kMaxSteps = 16;
  std::vector<std::pair<Symbol, Symbol>> equal;
  for (int step = 0; step < kMaxSteps && block > 0; ++step) {
    BlockId from = kNoBlock;  // the only way in that is reached
    for (const BlockId p : shape_.from[static_cast<std::size_t>(block)])
      if (reached_[static_cast<std::size_t>(p)]) from = from == kNoBlock ? p : kSeveral;
    if (from < 0) {
      block = shape_.idom[static_cast<std::size_t>(block)];
      continue;
    }
    const Terminator& end = f_.blocks[static_cast<std::size_t>(from)].end;
    if (end.kind == Exit::kBranch && k_.is_scalar(end.condition))
      note_equal(end.condition, end.target == block, equal);
    block = from;
  }
  std::set<Symbol> same = {a};
  for (bool changed = true; changed && !same.contains(b);) {
    changed = false;
    for (const auto& [x, y] : equal) {
      if (same.contains(x)) changed |= same.insert(y).second;
      if (same.contains(y)) changed |= same.insert(x).second;
    }
  }
  return same.contains(b);
}

// What a condition that is known says about numbers: comparisons of two, and of flags whether all or any are
// set.
void SizesOf::note_equal(ValueId condition, bool answer,
                         std::vector<std::pair<Symbol, Symbol>>& equal) const {
  const Inst* in = maker(condition);
  while (in != nullptr && in->op == Op::kNot) {
    answer = !answer;
    in = maker(f_.operands_of(*in)[0]);
  }
  if (in == nullptr) return;
  const ValueId* operands = f_.operands_of(*in);
  if (in->word == TypeWord::kInt && means_equal(*in, answer))
    equal.emplace_back(k_.of(operands[0]).sum, k_.of(operands[1]).sum);
  if (in->word != TypeWord::kBool || (in->op != Op::kAndReduce && in->op != Op::kOrReduce)) return;
  const ValueFacts& flags = k_.of(operands[0]);
  const Symbol zero = k_.symbols.constant(0);
  const Symbol unset = k_.symbols.subtract(flags.length, flags.sum);
  const bool all = in->op == Op::kAndReduce && answer, none = in->op == Op::kOrReduce && !answer;
  if (all || none) equal.emplace_back(all ? flags.sum : unset, flags.length);
  if (all || none) equal.emplace_back(all ? unset : flags.sum, zero);
}

bool SizesOf::means_equal(const Inst& comparison, bool answer) const {
  if (comparison.op == Op::kEq) return answer;
  if (comparison.op == Op::kNe) return !answer;
  const Symbol y = k_.of(f_.operands_of(comparison)[1]).sum;
  return comparison.op == Op::kGt && !answer && k_.symbols.is_constant(y) && k_.symbols.value(y) == 0 &&
         is_count(k_.of(f_.operands_of(comparison)[0]).sum);
}

std::vector<Symbol> SizesOf::given_by(const Inst& call) {
  std::vector<Symbol> given;
  given.reserve(2 * std::size_t{call.operands});
  for (std::uint32_t i = 0; i < call.operands; ++i) {
    const ValueFacts& v = facts(f_.operands_of(call)[i]);
    given.push_back(v.length);
    given.push_back(v.sum);
  }
  return given;
}

bool SizesOf::tell(const Inst& call) {
  if (all_.giving_up()) return false;
  all_.tell(call.index, k_.symbols, given_by(call));
  return all_.due(call.index);
}

bool SizesOf::take(const Inst& call) {
  all_.reads(call.index);
  const Results* known = all_.results(call.index);
  if (known == nullptr && !all_.giving_up()) return false;
  const std::vector<Symbol> given = given_by(call);
  // What holds if more is granted than the call keeps is not known here.
  if (known != nullptr && all_.keeps(call.index, k_.symbols, given)) {
    take_results(call, *known, given);
    return true;
  }
  for (std::uint32_t r = 0; r < call.results; ++r) fresh(call.first_result + static_cast<ValueId>(r));
  return true;
}

void SizesOf::take_results(const Inst& call, const Results& known, const std::vector<Symbol>& given) {
  FreshBy<Slot> make(k_.symbols);
  auto symbol = [&](const Slot& s) {
    if (s.kind == Slot::Kind::kConstant) return k_.symbols.constant(s.number);
    if (s.kind == Slot::Kind::kClass)
      for (std::size_t i = 0; i < given.size(); ++i)
        if (known.parameters[i] == s) return given[i];
    return make(s);
  };
  for (std::uint32_t r = 0; r < call.results; ++r) {
    ValueFacts& v = facts(call.first_result + static_cast<ValueId>(r));
    v.length = symbol(known.results[2 * r]);
    v.sum = symbol(known.results[2 * r + 1]);
  }
}

void SizesOf::leave() {
  Summary out;
  std::map<std::vector<Symbol>, std::int64_t> own;
  auto slot = [&](std::size_t i, auto part) -> Slot {
    std::vector<Symbol> symbols;
    for (const std::size_t b : returned_) symbols.push_back(facts(f_.blocks[b].end.arguments[i]).*part);
    const bool same = std::all_of(symbols.begin(), symbols.end(), [&](Symbol s) { return s == symbols[0]; });
    if (same && k_.symbols.is_constant(symbols[0]))
      return {Slot::Kind::kConstant, k_.symbols.value(symbols[0])};
    const auto it = class_of_.find(symbols[0]);
    if (same && it != class_of_.end()) return {Slot::Kind::kClass, it->second};
    return {Slot::Kind::kOwn, own.try_emplace(symbols, static_cast<std::int64_t>(own.size())).first->second};
  };
  for (std::size_t i = 0; i < f_.results.size(); ++i) {
    out.push_back(slot(i, &ValueFacts::length));
    out.push_back(slot(i, &ValueFacts::sum));
  }
  all_.publish_results(id_, {bound_, std::move(out)});
}

}  // namespace nvm::ssa
