// The recorder and compiler of a rank: what it does with parts of its own, and with what all ranks have. What
// it promises is kept before the ranks talk, so that what fails then fails on all of them first.
#pragma once

#include <span>

#include "vm/interp/region_hook.h"

namespace nvm::vm::spmd {

class LocalTier {
 public:
  // Null: there is none. One that leaves vectors repeated is none here.
  explicit LocalTier(RegionHook* hook) : hook_(hook != nullptr && !hook->repeats() ? hook : nullptr) {}

  // True: taken. False: nothing among the operands is promised.
  [[nodiscard]] bool offer(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                           std::span<Value> results) {
    return hook_ != nullptr && tried([&] { return hook_->offer(inst, site, operands, results); });
  }
  void force(Value& value) {
    if (hook_ != nullptr) tried([&] { return hook_->force(value), true; });
  }
  void finish() {
    if (hook_ != nullptr) tried([&] { return hook_->finish(), true; });
  }
  void offered_by(const Callers* callers) {
    if (hook_ != nullptr) static_cast<void>(hook_->offered_by(callers));
  }
  void count_offers(bool wanted) {
    if (hook_ != nullptr) hook_->count_offers(wanted);
  }
  // Of what was thrown last, if it came from here.
  [[nodiscard]] const ssa::Inst* located_at(Site& site, CallTrail& trail) const {
    return threw_ ? hook_->located_at(site, trail) : nullptr;
  }

 private:
  template <typename F>
  bool tried(F f) {
    threw_ = true;
    const bool done = f();
    threw_ = false;
    return done;
  }

  RegionHook* hook_;
  bool threw_ = false;
};

}  // namespace nvm::vm::spmd
