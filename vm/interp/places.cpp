// Where the execution is, for who looks on and for messages.
#include <algorithm>

#include "vm/interp/interp.h"

namespace nvm::vm {

std::size_t Interp::list(std::size_t most, std::vector<OpenCall>& calls) const {
  const auto id = [&](const CodeFunction* f) {
    return static_cast<ssa::FunctionId>(f - code_.functions.data());
  };
  const ssa::Inst* by = nullptr;
  for (std::size_t i = 0; i < std::min(most, calls_.size()); ++i) {
    calls.push_back({id(calls_[i].function), by, calls_[i].serial});
    by = calls_[i].step->inst;
  }
  if (calls_.size() < most) calls.push_back({id(function_), by, serial_});
  return calls_.size() + 1;
}

CallPlace Interp::place(const Step& step) const {
  const auto& functions = code_.module->functions;
  const ssa::FunctionId id = step.inst != nullptr && step.inst->origin_function >= 0
                                 ? step.inst->origin_function
                                 : step.site.function;
  const ssa::Function& f = functions[static_cast<std::size_t>(id)];
  return {f.origin.empty() ? f.name : f.origin, step.pos, step.inst != nullptr ? step.inst->origin_line : 0};
}

// The end of a block has no line of its own: the instruction before it has.
std::uint32_t Interp::source_line() const {
  const Step* step = step_;
  while (step->inst == nullptr && step > function_->steps.data()) --step;
  if (step->inst != nullptr && step->inst->origin_line > 0) return step->inst->origin_line;
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call)
    if (call->step->inst != nullptr && call->step->inst->origin_line > 0)
      return call->step->inst->origin_line;
  return 0;
}

RunError Interp::locate(const Fault& fault) const {
  RunError error;
  error.kind = fault.kind;
  error.message = fault.message;
  Step step = *step_;
  if (machine_.hook != nullptr) {
    if (const ssa::Inst* earlier = machine_.hook->located_at(step.site)) {
      step.inst = earlier;
      step.op = earlier->op;
      step.word = earlier->word;
      step.pos = earlier->pos;
    }
  }
  if (step.inst != nullptr) {
    error.instruction = op_info(step.op).text;
    if (step.word != TypeWord::kNone) error.instruction += " " + std::string(type_word_text(step.word));
  }
  error.at = place(step);
  error.depth = depth();
  for (auto call = calls_.rbegin(); call != calls_.rend() && error.calls.size() < RunError::kMostCalls;
       ++call)
    error.calls.push_back(place(*call->step));
  return error;
}

}  // namespace nvm::vm
