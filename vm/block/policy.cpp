#include "vm/block/policy.h"

#include <algorithm>

namespace nvm::vm::block {

namespace {

constexpr std::int64_t kGroupBytes = 128
                                     << 10;   // of arguments; what is computed from them takes the rest of L2
constexpr std::int64_t kGroupsPerThread = 4;  // so that uneven groups even out
constexpr std::int64_t kLeastBytes = 64 << 10;  // of a call: below, cutting costs more than it saves

// By function: can it come to a call of itself or of another that can? Code without recursion is better
// executed by fused passes over everything.
std::vector<bool> reaches_recursion(const ssa::Module& module) {
  std::vector<bool> reaches(module.functions.size(), true);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t f = 0; f < module.functions.size(); ++f) {
      if (!reaches[f]) continue;
      bool any = false;
      for (const ssa::Block& block : module.functions[f].blocks)
        for (const ssa::Inst& in : block.insts)
          any |= in.op == Op::kCall && reaches[static_cast<std::size_t>(in.index)];
      if (any) continue;
      reaches[f] = false;
      changed = true;
    }
  }
  return reaches;
}

}  // namespace

Policy::Policy(const ssa::Module& module, const Options& options, int threads)
    : candidate_(module.functions.size(), false),
      automatic_(options.threshold == Options::kAuto),
      threads_(threads),
      least_instances_(automatic_ ? 2 * kGroupsPerThread * threads : options.threshold) {
  if (options.threshold == Options::kOff) return;
  const std::vector<bool> recursive = reaches_recursion(module);
  for (std::size_t f = 0; f < candidate_.size(); ++f)
    candidate_[f] = module.functions[f].lifted.lifted && (recursive[f] || !automatic_);
}

std::int64_t Policy::groups(const Layout& layout) const {
  const std::int64_t bytes = layout.bytes();
  const std::int64_t groups = std::max(bytes / kGroupBytes, kGroupsPerThread * threads_);
  if (!automatic_) return groups;
  return bytes < kLeastBytes ? 0 : groups;
}

}  // namespace nvm::vm::block
