#include "vm/interp/pending_call.h"

#include "vm/prims/part_maps.h"
#include "vm/prims/periodic_moves.h"
#include "vm/prims/pieces.h"

namespace nvm::vm {

Fault not_so_long() { return {Fault::Kind::kDenied, "results are not as long as arguments"}; }

void PendingCall::leave_call(const Step& step) {
  arguments_.resize(step.operands);
  at_.fetch(step, arguments_.data());
  accounts_.pass_mark(step);
  if (machine_.path != nullptr) machine_.path->leave();
  for (Value& argument : arguments_)
    if (const auto* v = std::get_if<Vector>(&argument); v != nullptr && v->is_repeated())
      combined_.write_repeated(argument);
  const Segdes& sizes = std::get<Segdes>(arguments_[at_.function->levels->sizes]);
  std::vector<Value> results(step.results);
  took(machine_.prims, FastPath::kLeaveHole);
  for (std::size_t r = 0; r < results.size(); ++r)
    results[r] = r == at_.function->levels->lengths ? Value(sizes) : pending_value(sizes.total());
  at_.store(step, results.data());
}

void PendingCall::leave_move(const Step& step) {
  const std::span<Value> operands(at_.scratch.data(), step.operands);
  if (accounts_.counts()) accounts_.count(step, operands);
  write_part(machine_.prims, operands[0]);
  const bool stays = stays_periodic(step.op, operands);
  Value moved;
  if (stays) {
    took(machine_.prims, FastPath::kKeepPeriodic);
    moved = std::move(operands[0]);
  } else if (!vm::leave_move({machine_.prims, step.op, step.word, operands.data(), &moved})) {
    throw not_so_long();
  }
  at_.store(step, &moved);
  for (Value& operand : operands) release(operand);
}

}  // namespace nvm::vm
