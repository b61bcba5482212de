#include "vm/interp/call_stack.h"

#include <algorithm>

#include "vm/interp/frames.h"

namespace nvm::vm {

void CallStack::grow() {
  constexpr std::size_t kLeast = 64;
  const std::size_t more = std::max(kLeast, 2 * calls_.size());
  allocate_for_calls(calls_.size() * sizeof(Activation), [&] { calls_.reserve(more); });
}

Standing CallStack::here() const {
  Standing standing{{calls_, at_.function, at_.step, serial_}, {}};
  std::vector<Value>& values = standing.values;
  for (const Activation& call : calls_)
    values.insert(values.end(), call.frame, call.frame + call.step->window);
  values.insert(values.end(), at_.frame, at_.frame + at_.function->slots);
  return standing;
}

std::size_t CallStack::list(std::size_t most, std::vector<OpenCall>& calls) const {
  const auto id = [&](const CodeFunction* f) {
    return static_cast<ssa::FunctionId>(f - code_.functions.data());
  };
  const ssa::Inst* by = nullptr;
  for (std::size_t i = 0; i < std::min(most, calls_.size()); ++i) {
    calls.push_back({id(calls_[i].function), by, calls_[i].serial});
    by = calls_[i].step->inst;
  }
  if (calls_.size() < most) calls.push_back({id(at_.function), by, serial_});
  return calls_.size() + 1;
}

// Where an instruction stands, then the calls that inlining has taken away around it, innermost first.
std::vector<CallPlace> CallStack::places(const ssa::Inst* inst, const Site& site, SourcePos pos) const {
  const ssa::Module& m = *code_.module;
  const auto named = [&](ssa::FunctionId id, SourcePos at, Origin line) {
    const ssa::Function& f = m.functions[static_cast<std::size_t>(id)];
    return CallPlace{f.origin.empty() ? f.name : f.origin, at, line};
  };
  std::vector<CallPlace> from_outside;
  ssa::FunctionId in = site.function;
  Origin line = 0;  // library code counts for the line that calls it
  for (std::int32_t i = inst != nullptr ? inst->inlined : -1; i >= 0;) {
    const ssa::InlinedCall& call = m.inlined[static_cast<std::size_t>(i)];
    if (call.origin_line != 0) line = call.origin_line;
    from_outside.push_back(named(in, call.pos, line));
    in = call.callee;
    i = call.within;
  }
  from_outside.push_back(named(in, pos, inst != nullptr ? inst->origin_line : 0));
  return {from_outside.rbegin(), from_outside.rend()};
}

CallTrail CallStack::trail() const {
  if (diverted_) return *diverted_;
  CallTrail trail;
  trail.serial = serial_;
  trail.depth = depth();
  const std::size_t shown = std::min(calls_.size(), CallTrail::kMost);
  for (std::size_t i = 0; i < shown; ++i) {
    const Step& call = *calls_[calls_.size() - 1 - i].step;
    trail.calls[i] = {call.inst, call.site};
  }
  return trail;
}

// The end of a block has no line of its own: the instruction before it has.
Origin CallStack::source_line() const {
  const Step* step = at_.step;
  while (step->inst == nullptr && step > at_.function->steps.data()) --step;
  const auto line = [](const ssa::Inst* inst) { return inst != nullptr ? inst->origin_line : Origin(0); };
  if (line(step->inst) > 0) return line(step->inst);
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call)
    if (line(call->step->inst) > 0) return line(call->step->inst);
  for (std::size_t i = 0; diverted_ && i < CallTrail::kMost; ++i)
    if (line(diverted_->calls[i].inst) > 0) return line(diverted_->calls[i].inst);
  return 0;
}

RunError CallStack::locate(const Fault& fault) const {
  RunError error;
  error.kind = fault.kind;
  error.message = fault.message;
  const ssa::Inst* inst = at_.step->inst;
  Site site = at_.step->site;
  SourcePos pos = at_.step->pos;
  CallTrail calls = trail();
  if (machine_.hook != nullptr) {
    if (const ssa::Inst* earlier = machine_.hook->located_at(site, calls)) {
      inst = earlier;
      pos = earlier->pos;
    }
  }
  if (inst != nullptr) {
    error.instruction = op_info(inst->op).text;
    if (inst->word != TypeWord::kNone) error.instruction += " " + std::string(type_word_text(inst->word));
  }
  std::vector<CallPlace> chain = places(inst, site, pos);
  error.at = chain[0];
  chain.erase(chain.begin());
  error.depth = calls.depth + static_cast<std::int64_t>(chain.size());
  for (const CallTrail::Call& call : calls.calls) {
    if (call.inst == nullptr) continue;
    const std::vector<CallPlace> more = places(call.inst, call.site, call.inst->pos);
    error.depth += static_cast<std::int64_t>(more.size()) - 1;
    chain.insert(chain.end(), more.begin(), more.end());
  }
  if (chain.size() > RunError::kMostCalls) chain.resize(RunError::kMostCalls);
  error.calls = std::move(chain);
  return error;
}

}  // namespace nvm::vm
