// The vectors that a striped loop reads: where the parts of its lanes stand, and what they hold.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stage_frame.h"
#include "vm/cpu/codegen/stripes.h"

namespace nvm::vm::cpu {

class StripeLoads {
 public:
  StripeLoads(Lanes& lanes, StageFrame& frame, const StageSpec& spec)
      : lanes_(lanes), frame_(frame), spec_(spec) {}

  // In front of the loop; elements of v stand in `slot`.
  void hoist(std::int32_t v, const Slot& slot) {
    if (pointers_.count(v) != 0) return;
    std::array<x86::Gp, kMostStripes>& at = pointers_[v];
    x86::Compiler& cc = lanes_.cc();
    const x86::Gp step = cc.newInt64();
    cc.mov(step, frame_.field(offsetof(StageArgs, stride)));
    cc.imul(step, step, static_cast<int>(storage_bytes(storage_of(v))));
    at[0] = frame_.pointer(slot);
    for (std::size_t l = 1; l < stripes(); ++l) {
      at[l] = cc.newIntPtr();
      cc.lea(at[l], x86::ptr(at[l - 1], step));
    }
  }
  // The elements of kStripeTurn iterations.
  void load(const std::vector<bool>& needed) {
    loaded_.resize(needed.size());
    for (std::size_t i = 0; i < needed.size(); ++i) {
      const soac::BodyInst& in = spec_.body->insts[i];
      if (!needed[i] || in.pull != soac::Pull::kElement) continue;
      std::array<x86::Mem, kMostStripes> at;
      for (std::size_t l = 0; l < stripes(); ++l)
        at[l] = x86::ptr(pointers_[in.var][l], frame_.i(), StageFrame::scale(storage_of(in.var)));
      loaded_[i] = load_stripes(lanes_, storage_of(in.var), at);
    }
  }
  [[nodiscard]] const Lane& loaded(std::size_t value, std::size_t turn) const { return loaded_[value][turn]; }

 private:
  [[nodiscard]] std::size_t stripes() const { return static_cast<std::size_t>(lanes_.count()); }
  [[nodiscard]] Storage storage_of(std::int32_t v) const {
    return (*spec_.vars)[static_cast<std::size_t>(v)].storage;
  }

  Lanes& lanes_;
  StageFrame& frame_;
  const StageSpec& spec_;
  std::map<std::int32_t, std::array<x86::Gp, kMostStripes>> pointers_;  // by vector
  std::vector<std::array<Lane, kStripeTurn>> loaded_;                   // by value
};

}  // namespace nvm::vm::cpu
