// Sizes across functions: what callers tell their callees, and callees their callers, until nothing changes.
#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/ssa/facts_internal.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

std::vector<FunctionFacts> SizeAnalysis::run() {
  if (!parameters_[static_cast<std::size_t>(m_.entry)])
    parameters_[static_cast<std::size_t>(m_.entry)] = Summary{};
  enqueue(m_.entry);
  drain();
  // What the entry does not reach: nothing is known about its parameters.
  for (std::size_t f = 0; f < m_.functions.size(); ++f) {
    if (rounds_[f] > 0) continue;
    if (!parameters_[f]) parameters_[f] = unknown(parameter_types(f));
    enqueue(static_cast<FunctionId>(f));
  }
  drain();
  give_up_ = true;  // calls that never return: their results are anything
  for (std::size_t f = 0; f < m_.functions.size(); ++f) function(static_cast<FunctionId>(f));
  return std::move(facts_);
}

std::vector<Numbers> SizeAnalysis::unknown_numbers(const std::vector<Type>& types) const {
  std::vector<Numbers> out;
  out.reserve(types.size());
  for (const Type type : types) out.push_back(all_numbers(type, bits()));
  return out;
}

Summary SizeAnalysis::unknown(const std::vector<Type>& types) const {
  Summary s;
  for (std::size_t i = 0; i < 2 * types.size(); ++i)
    s.slots.push_back({Slot::Kind::kClass, static_cast<std::int64_t>(i)});
  s.numbers = unknown_numbers(types);
  return s;
}

std::vector<Type> SizeAnalysis::parameter_types(std::size_t function) const {
  const Function& f = m_.functions[function];
  std::vector<Type> types;
  for (const ValueId v : f.blocks[0].parameters) types.push_back(f.value_types[static_cast<std::size_t>(v)]);
  return types;
}

Summary SizeAnalysis::from_classes(std::size_t function, const ParameterClasses& classes) const {
  Summary s;
  for (const std::int32_t c : classes)
    s.slots.push_back(c == kClassOne ? Slot{Slot::Kind::kConstant, 1} : Slot{Slot::Kind::kClass, c});
  s.numbers = unknown_numbers(parameter_types(function));
  return s;
}

void SizeAnalysis::enqueue(FunctionId f) {
  if (queued_[static_cast<std::size_t>(f)]) return;
  queued_[static_cast<std::size_t>(f)] = true;
  queue_.push_back(f);
}

void SizeAnalysis::drain() {
  while (!queue_.empty()) {
    const FunctionId f = queue_.front();
    queue_.pop_front();
    queued_[static_cast<std::size_t>(f)] = false;
    if (++rounds_[static_cast<std::size_t>(f)] > kMaxRounds)
      parameters_[static_cast<std::size_t>(f)] = unknown(parameter_types(static_cast<std::size_t>(f)));
    function(f);
  }
}

void SizeAnalysis::function(FunctionId id) {
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
  lengths_of_.clear();
  counts_.clear();
  for (std::size_t b = 0; b < f_->blocks.size(); ++b) block(b);
  if (!returned_.empty()) publish_results();
}

void SizeAnalysis::block(std::size_t b) {
  const Block& block = f_->blocks[b];
  if (b == 0)
    bind_parameters();
  else if (!join(b))
    return fill(block);
  reached_[b] = true;
  for (const Inst& in : block.insts) {
    check_budget();
    if (in.op == Op::kCall && !call(in)) {
      reached_[b] = false;  // as far as is known, the call does not return
      return fill(block);
    }
    if (in.op != Op::kCall) inst(in);
  }
  if (block.end.kind == Exit::kReturn) returned_.push_back(b);
}

void SizeAnalysis::fill(const Block& block) {
  for (const ValueId p : block.parameters) fresh(p);
  for (const Inst& in : block.insts)
    for (std::uint32_t r = 0; r < in.results; ++r) {
      const ValueId v = in.first_result + static_cast<ValueId>(r);
      if (facts(v).length == kNoSymbol) fresh(v);
    }
}

void SizeAnalysis::fresh(ValueId v) {
  facts(v).length = k_->symbols.fresh();
  facts(v).sum = k_->symbols.fresh();
  facts(v).numbers = all_numbers(type(v), bits());
}

void SizeAnalysis::bind_parameters() {
  const Summary& in = bound_ = *parameters_[static_cast<std::size_t>(id_)];
  FreshBy<Slot> make(k_->symbols);
  auto symbol = [&](const Slot& s) {
    return s.kind == Slot::Kind::kConstant ? k_->symbols.constant(s.number) : make(s);
  };
  class_of_.clear();
  for (std::size_t i = 0; i < f_->blocks[0].parameters.size(); ++i) {
    ValueFacts& v = facts(f_->blocks[0].parameters[i]);
    v.length = symbol(in.slots[2 * i]);
    v.sum = symbol(in.slots[2 * i + 1]);
    v.numbers = in.numbers[i];
    note_count(f_->blocks[0].parameters[i]);
    if (in.slots[2 * i].kind == Slot::Kind::kClass) class_of_[v.length] = in.slots[2 * i].number;
    if (in.slots[2 * i + 1].kind == Slot::Kind::kClass) class_of_[v.sum] = in.slots[2 * i + 1].number;
  }
}

bool SizeAnalysis::join(std::size_t b) {
  std::vector<BlockId> ways;
  for (const BlockId p : from_[b])
    if (reached_[static_cast<std::size_t>(p)]) ways.push_back(p);
  if (ways.empty()) return false;
  const std::vector<ValueId>& parameters = f_->blocks[b].parameters;
  FreshBy<std::vector<Symbol>> make(k_->symbols);
  auto merge = [&](std::size_t i, auto part) {
    std::vector<Symbol> symbols;
    symbols.reserve(ways.size());
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
    const auto given = [&](BlockId p) {
      return facts(f_->blocks[static_cast<std::size_t>(p)].end.arguments[i]).numbers;
    };
    v.numbers = given(ways[0]);
    for (const BlockId p : ways) v.numbers = hull(v.numbers, given(p));
    note_count(parameters[i]);
  }
  for (std::size_t d = 0; d < parameters.size(); ++d)
    if (type(parameters[d]) == Type::kSegdes) find_lengths(b, ways, d);
  return true;
}

// A vector that is the lengths of a descriptor wherever both come from stays it.
void SizeAnalysis::find_lengths(std::size_t b, const std::vector<BlockId>& ways, std::size_t descriptor) {
  const std::vector<ValueId>& parameters = f_->blocks[b].parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (type(parameters[i]) != Type::kInt) continue;
    const bool same = std::all_of(ways.begin(), ways.end(), [&](BlockId p) {
      const std::vector<ValueId>& given = f_->blocks[static_cast<std::size_t>(p)].end.arguments;
      return lengths_behind(given[i]) == lengths_behind(given[descriptor]);
    });
    if (same) lengths_of_[parameters[descriptor]] = parameters[i];
  }
}

ValueId SizeAnalysis::lengths_behind(ValueId v) const {
  for (;;) {
    const Inst* in = makers_[static_cast<std::size_t>(v)];
    const auto known = lengths_of_.find(v);
    if (in != nullptr && (in->op == Op::kLengths || in->op == Op::kMakeSegdes))
      v = f_->operands_of(*in)[0];
    else if (known != lengths_of_.end())
      v = known->second;
    else
      return v;
  }
}

bool SizeAnalysis::agree(const std::vector<BlockId>& ways, const std::vector<Symbol>& symbols,
                         Symbol candidate) const {
  for (std::size_t w = 0; w < ways.size(); ++w)
    if (symbols[w] != candidate && !equal_on(ways[w], symbols[w], candidate)) return false;
  return true;
}

bool SizeAnalysis::equal_on(BlockId block, Symbol a, Symbol b) const {
  constexpr int kMaxSteps = 16;
  std::vector<std::pair<Symbol, Symbol>> equal;
  for (int step = 0; step < kMaxSteps && block > 0; ++step) {
    BlockId from = kNoBlock;  // the only way in that is reached
    for (const BlockId p : from_[static_cast<std::size_t>(block)])
      if (reached_[static_cast<std::size_t>(p)]) from = from == kNoBlock ? p : kSeveral;
    if (from < 0) {
      block = idom_[static_cast<std::size_t>(block)];
      continue;
    }
    const Terminator& end = f_->blocks[static_cast<std::size_t>(from)].end;
    if (end.kind == Exit::kBranch && k_->is_scalar(end.condition))
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
void SizeAnalysis::note_equal(ValueId condition, bool answer,
                              std::vector<std::pair<Symbol, Symbol>>& equal) const {
  const Inst* in = makers_[static_cast<std::size_t>(condition)];
  while (in != nullptr && in->op == Op::kNot) {
    answer = !answer;
    in = makers_[static_cast<std::size_t>(f_->operands_of(*in)[0])];
  }
  if (in == nullptr) return;
  const ValueId* operands = f_->operands_of(*in);
  if (in->word == TypeWord::kInt && means_equal(*in, answer))
    equal.emplace_back(k_->of(operands[0]).sum, k_->of(operands[1]).sum);
  if (in->word != TypeWord::kBool || (in->op != Op::kAndReduce && in->op != Op::kOrReduce)) return;
  const ValueFacts& flags = k_->of(operands[0]);
  const Symbol zero = k_->symbols.constant(0);
  const Symbol unset = k_->symbols.subtract(flags.length, flags.sum);
  const bool all = in->op == Op::kAndReduce && answer, none = in->op == Op::kOrReduce && !answer;
  if (all || none) equal.emplace_back(all ? flags.sum : unset, flags.length);
  if (all || none) equal.emplace_back(all ? unset : flags.sum, zero);
}

bool SizeAnalysis::means_equal(const Inst& comparison, bool answer) const {
  if (comparison.op == Op::kEq) return answer;
  if (comparison.op == Op::kNe) return !answer;
  const Symbol y = k_->of(f_->operands_of(comparison)[1]).sum;
  return comparison.op == Op::kGt && !answer && k_->symbols.is_constant(y) && k_->symbols.value(y) == 0 &&
         counts_.contains(k_->of(f_->operands_of(comparison)[0]).sum);
}

bool SizeAnalysis::call(const Inst& in) {
  const auto to = static_cast<std::size_t>(in.index);
  std::vector<Symbol> given;
  std::vector<Numbers> numbers;
  for (std::uint32_t i = 0; i < in.operands; ++i) {
    const ValueFacts& v = facts(f_->operands_of(in)[i]);
    given.push_back(v.length);
    given.push_back(v.sum);
    numbers.push_back(v.numbers);
  }
  if (!give_up_) {
    if (std::find(callers_[to].begin(), callers_[to].end(), id_) == callers_[to].end())
      callers_[to].push_back(id_);
    tell(in.index, given, numbers);
  }
  // What held when more was known about its parameters says nothing about this call, and what holds if more
  // is granted than the call keeps neither.
  const bool known = results_[to] && results_[to]->parameters == *parameters_[to];
  if (!known && !give_up_) return false;
  if (!known || (granted(to) && !keeps(*parameters_[to], given))) {
    for (std::uint32_t r = 0; r < in.results; ++r) fresh(in.first_result + static_cast<ValueId>(r));
    return true;
  }
  take_results(in, results_[to]->parameters, results_[to]->results, given);
  return true;
}

bool SizeAnalysis::keeps(const Summary& parameters, const std::vector<Symbol>& given) const {
  std::map<Slot, Symbol> of;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Slot& slot = parameters.slots[i];
    const Symbol s = given[i];
    if (slot.kind == Slot::Kind::kConstant &&
        !(k_->symbols.is_constant(s) && k_->symbols.value(s) == slot.number))
      return false;
    if (of.try_emplace(slot, s).first->second != s) return false;
  }
  return true;
}

void SizeAnalysis::tell(FunctionId callee, const std::vector<Symbol>& given,
                        const std::vector<Numbers>& numbers) {
  std::optional<Summary>& known = parameters_[static_cast<std::size_t>(callee)];
  const bool seen = rounds_[static_cast<std::size_t>(callee)] > 0;
  if (granted(static_cast<std::size_t>(callee))) {
    if (!seen) enqueue(callee);
    return;
  }
  if (apart(static_cast<std::size_t>(callee))) {
    if (!known) known = unknown(parameter_types(static_cast<std::size_t>(callee)));
    if (!seen) enqueue(callee);
    return;
  }
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
  for (std::size_t i = 0; i < numbers.size(); ++i)
    now.numbers.push_back(known ? widened(known->numbers[i], numbers[i], bits()) : numbers[i]);
  if (known && *known == now && seen) return;
  known = std::move(now);
  enqueue(callee);
}

void SizeAnalysis::take_results(const Inst& in, const Summary& parameters, const Summary& results,
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
    v.numbers = results.numbers[r];
  }
}

void SizeAnalysis::publish_results() {
  Summary out;
  std::optional<Results>& known = results_[static_cast<std::size_t>(id_)];
  std::map<std::vector<Symbol>, std::int64_t> own;
  auto slot = [&](std::size_t i, auto part) -> Slot {
    std::vector<Symbol> symbols;
    for (const std::size_t b : returned_) symbols.push_back(facts(f_->blocks[b].end.arguments[i]).*part);
    const bool same = std::all_of(symbols.begin(), symbols.end(), [&](Symbol s) { return s == symbols[0]; });
    if (same && k_->symbols.is_constant(symbols[0]))
      return {Slot::Kind::kConstant, k_->symbols.value(symbols[0])};
    const auto it = class_of_.find(symbols[0]);
    if (same && it != class_of_.end()) return {Slot::Kind::kClass, it->second};
    return {Slot::Kind::kOwn, own.try_emplace(symbols, static_cast<std::int64_t>(own.size())).first->second};
  };
  for (std::size_t i = 0; i < f_->results.size(); ++i) {
    out.slots.push_back(slot(i, &ValueFacts::length));
    out.slots.push_back(slot(i, &ValueFacts::sum));
    const auto given = [&](std::size_t b) { return facts(f_->blocks[b].end.arguments[i]).numbers; };
    Numbers numbers = given(returned_[0]);
    for (const std::size_t b : returned_) numbers = hull(numbers, given(b));
    out.numbers.push_back(known ? widened(known->results.numbers[i], numbers, bits()) : numbers);
  }
  if (rounds_[static_cast<std::size_t>(id_)] > 2 * kMaxRounds) {
    out = unknown(f_->results);
    for (Slot& s : out.slots) s.kind = Slot::Kind::kOwn;
  }
  Results now{bound_, std::move(out)};
  if (known && *known == now) return;
  known = std::move(now);
  for (const FunctionId caller : callers_[static_cast<std::size_t>(id_)]) enqueue(caller);
}

std::vector<FunctionFacts> analyse_sizes(const Module& module, const std::vector<ParameterClasses>& most,
                                         const std::vector<bool>& granted) {
  return SizeAnalysis(module, most, granted).run();
}

}  // namespace nvm::ssa
