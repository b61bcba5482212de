#include "vm/spmd/hook.h"

#include <algorithm>

namespace nvm::vm::spmd {

bool Hook::concerns_all(std::span<const Value> operands) const {
  return std::any_of(operands.begin(), operands.end(), [&](const Value& value) {
    if (const auto* v = std::get_if<Vector>(&value)) return parts_.is_long(v->length());
    if (const auto* s = std::get_if<Segdes>(&value))
      return parts_.is_long(std::max(s->total(), s->segments()));
    return distributed(value) != nullptr;
  });
}

// What is promised is short: how long it may be follows from descriptors, which are computed.
bool Hook::offer(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                 std::span<Value> results) {
  exchange_.located_here();
  exchange_.pass(inst, site, callers_);
  const OpInfo& info = op_info(inst.op);
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (info.operands[i] == 'S') parts_.tier().force(operands[i]);
  if (!concerns_all(operands)) return offer_own(inst, site, operands, results);
  for (Value& operand : operands) parts_.tier().force(operand);
  const Together t{parts_, inst, site, operands, results};
  check_shape(t);
  const Rule rule = rule_of(inst.op);
  if (rule == nullptr || !rule(t)) execute_gathered(t);
  return true;
}

bool Hook::offer_own(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                     std::span<Value> results) {
  if (!parts_.tier().offer(inst, site, operands, results)) return false;
  if (op_info(inst.op).kind == OpKind::kShape)
    for (Value& result : results) parts_.tier().force(result);
  return true;
}

void Hook::force(Value& value) {
  exchange_.located_here();
  if (distributed(value) != nullptr)
    value = parts_.whole(value);
  else
    parts_.tier().force(value);
}

void Hook::finish() {
  exchange_.located_here();
  parts_.tier().finish();
  exchange_.agree();
}

}  // namespace nvm::vm::spmd
