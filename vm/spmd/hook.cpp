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

bool Hook::offer(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                 std::span<Value> results) {
  exchange_.located_here();
  exchange_.pass(inst, site, callers_);
  if (!concerns_all(operands)) return false;
  const Together t{parts_, inst, operands, results};
  const Rule rule = rule_of(inst.op);
  if (rule == nullptr || !rule(t)) execute_gathered(t);
  return true;
}

void Hook::force(Value& value) {
  exchange_.located_here();
  if (distributed(value) != nullptr) value = parts_.whole(value);
}

void Hook::finish() {
  exchange_.located_here();
  exchange_.agree();
}

}  // namespace nvm::vm::spmd
