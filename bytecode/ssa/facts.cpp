// Sizes across functions: what callers tell their callees, and callees their callers.
#include "bytecode/ssa/facts_internal.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

namespace {

Summary from_classes(const ParameterClasses& classes) {
  Summary s;
  for (const std::int32_t c : classes)
    s.push_back(c == kClassOne ? Slot{Slot::Kind::kConstant, 1} : Slot{Slot::Kind::kClass, c});
  return s;
}

}  // namespace

SizeAnalysis::SizeAnalysis(const Module& m, const std::vector<ParameterClasses>& most,
                           const std::vector<bool>& granted)
    : ForwardAnalysis(m),
      granted_(granted),
      parameters_(m.functions.size()),
      results_(m.functions.size()),
      facts_(m.functions.size()) {
  for (std::size_t f = 0; f < most.size(); ++f)
    if (!most[f].empty()) parameters_[f] = from_classes(most[f]);
}

std::unique_ptr<ForwardBody> SizeAnalysis::look_at(FunctionId f) {
  return std::make_unique<SizesOf>(*this, m_, f, shape(f), facts_[index(f)]);
}

void SizeAnalysis::enter_program() {
  if (!parameters_[index(m_.entry)]) parameters_[index(m_.entry)] = Summary{};
}

Summary SizeAnalysis::unknown(FunctionId f) const {
  Summary s;
  const std::size_t parameters = m_.functions[index(f)].blocks[0].parameters.size();
  for (std::size_t i = 0; i < 2 * parameters; ++i)
    s.push_back({Slot::Kind::kClass, static_cast<std::int64_t>(i)});
  return s;
}

void SizeAnalysis::tell(FunctionId callee, const Symbols& symbols, const std::vector<Symbol>& given) {
  std::optional<Summary>& known = parameters_[index(callee)];
  const bool seen = looks(callee) > 0;
  if (granted(callee) || apart(callee)) {
    if (!known) known = unknown(callee);
    if (!seen) enqueue(callee);
    return;
  }
  Summary now;
  now.reserve(given.size());
  std::map<std::pair<Slot, Symbol>, std::int64_t> classes;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Slot before = known ? (*known)[i] : Slot{};
    const bool constant = symbols.is_constant(given[i]);
    const Slot same{Slot::Kind::kConstant, constant ? symbols.value(given[i]) : 0};
    if (constant && (!known || before == same)) {
      now.push_back(same);
      continue;
    }
    const auto fresh = static_cast<std::int64_t>(classes.size());
    const std::int64_t number = classes.try_emplace({before, given[i]}, fresh).first->second;
    now.push_back({Slot::Kind::kClass, number});
  }
  if (known && *known == now && seen) return;
  known = std::move(now);
  enqueue(callee);
}

bool SizeAnalysis::keeps(FunctionId callee, const Symbols& symbols, const std::vector<Symbol>& given) const {
  if (!granted(callee)) return true;
  std::map<Slot, Symbol> of;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Slot& slot = parameters(callee)[i];
    const Symbol s = given[i];
    if (slot.kind == Slot::Kind::kConstant && !(symbols.is_constant(s) && symbols.value(s) == slot.number))
      return false;
    if (of.try_emplace(slot, s).first->second != s) return false;
  }
  return true;
}

// What held when more was known about its parameters says nothing about a call.
const Results* SizeAnalysis::results(FunctionId f) const {
  const std::optional<Results>& known = results_[index(f)];
  return known && known->parameters == parameters(f) ? &*known : nullptr;
}

void SizeAnalysis::publish_results(FunctionId f, Results now) {
  if (looks(f) > 2 * kMaxLooks)
    for (std::size_t i = 0; i < now.results.size(); ++i)
      now.results[i] = {Slot::Kind::kOwn, static_cast<std::int64_t>(i)};
  std::optional<Results>& known = results_[index(f)];
  if (known && *known == now) return;
  known = std::move(now);
  publish(f);
}

std::vector<FunctionFacts> analyse_sizes(const Module& module, const std::vector<ParameterClasses>& most,
                                         const std::vector<bool>& granted) {
  SizeAnalysis analysis(module, most, granted);
  analysis.run();
  return analysis.take_facts();
}

}  // namespace nvm::ssa
