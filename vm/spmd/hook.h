// One program on several ranks (SPMD): every rank has an interpreter of its own on the same bytecode, which
// offers its instructions here. Vectors that are long are distributed (distributed.h), everything else all
// ranks have, so that all take the same way; which is which follows from lengths alone. What ranks compute
// does not depend on how many they are, nor on where vectors are cut.
#pragma once

#include "vm/interp/region_hook.h"
#include "vm/spmd/rules.h"

namespace nvm::vm::spmd {

class Hook final : public RegionHook {
 public:
  // All must outlive it.
  // `tier` records what is a rank's own; null: nothing is.
  Hook(Exchange& exchange, const PrimContext& prims, Settings settings, RegionHook* tier = nullptr)
      : exchange_(exchange), parts_(exchange, prims, std::move(settings), tier) {}

  [[nodiscard]] Parts& parts() { return parts_; }
  [[nodiscard]] const Parts& parts() const { return parts_; }

  bool offer(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
             std::span<Value> results) override;
  void force(Value& value) override;
  void finish() override;
  [[nodiscard]] bool has_parts() const override { return true; }
  [[nodiscard]] const ssa::Inst* located_at(Site& site, CallTrail& trail) const override {
    const ssa::Inst* inst = exchange_.located_at(site, trail);
    return inst != nullptr ? inst : parts_.tier().located_at(site, trail);
  }
  const Callers* offered_by(const Callers* callers) override {
    parts_.tier().offered_by(callers);
    return std::exchange(callers_, callers);
  }
  void count_offers(bool wanted) override { parts_.tier().count_offers(wanted); }

  // Nothing is taken on trust.
  [[nodiscard]] bool declined() const override { return false; }
  [[nodiscard]] bool repeats() const override { return false; }
  bool trust(const Value&, const Site&) override { return false; }
  [[nodiscard]] bool guards() const override { return false; }
  [[nodiscard]] std::optional<bool> foresee(const Value&, const Site&) override { return {}; }
  void guard(const Value&, const Site&, bool, std::shared_ptr<Crossing>) override {}
  void decided(const Site&, bool) override {}
  [[nodiscard]] bool guarded() const override { return false; }

 private:
  [[nodiscard]] bool offer_own(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                               std::span<Value> results);
  [[nodiscard]] bool concerns_all(std::span<const Value> operands) const;

  Exchange& exchange_;
  Parts parts_;
  const Callers* callers_ = nullptr;
};

}  // namespace nvm::vm::spmd
