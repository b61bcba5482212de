#include "vm/tier/hot.h"

namespace nvm::vm {

bool Budget::pays(std::int64_t work, std::int64_t total, std::size_t insts, bool compiled) {
  uncertain_.earn(work);
  if (compiled) return false;
  if (!certain(total, insts)) {
    const std::int64_t cost = cost_of(insts);
    const bool first = total == work;
    if (first || total < cost || !uncertain_.spend(cost)) return false;
  }
  begin();
  return true;
}

std::int64_t Budget::cost_of(std::size_t insts) const {
  return options_.region_cost + options_.inst_cost * static_cast<std::int64_t>(insts) +
         (begun_ ? 0 : options_.first_cost);
}

void Blacklist::add(const ssa::Inst& inst, std::int64_t elements) {
  Entry& e = insts_[&inst];
  if (e.backoff.waits() && e.is_about(elements)) return;
  e.elements = elements;
  e.backoff.fail();
}

bool Blacklist::has(const ssa::Inst& inst, std::int64_t elements) {
  Entry* const known = insts_.find(&inst);
  return known != nullptr && known->is_about(elements) && known->backoff.pass();
}

}  // namespace nvm::vm
