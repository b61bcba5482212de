// Packing inside the loop of a stage: what flags keep, one element behind the other, at places that move
// along.
#pragma once

#include <map>
#include <vector>

#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stage_frame.h"

namespace nvm::vm::cpu {

class PackEmitter {
 public:
  PackEmitter(StageFrame& frame, const std::vector<StagePack>& packs) : frame_(frame), packs_(packs) {}

  // In front of the loop.
  void hoist(Lanes& lanes) {
    for (const StagePack& p : packs_) static_cast<void>(frame_.pointer(slot(p)));
    if (!packs_.empty()) lanes.prepare_packing();
  }
  // In the loop, those of which `wanted` (by number); `flag` and `value` are lanes of `lanes`. Flags are
  // counted once for all that is packed by them.
  template <typename Wanted, typename Flag, typename Value>
  void pack(Lanes& lanes, Wanted wanted, Flag flag, Value value) {
    x86::Compiler& cc = lanes.cc();
    std::map<std::int32_t, KeptLanes> counted;
    for (std::size_t k = 0; k < packs_.size(); ++k) {
      const StagePack& p = packs_[k];
      if (!wanted(k)) continue;
      auto it = counted.find(p.flag);
      if (it == counted.end()) it = counted.emplace(p.flag, lanes.kept(flag(p.flag))).first;
      const KeptLanes& kept = it->second;
      const x86::Gp to = frame_.pointer(slot(p));
      if (p.value == soac::kNone) {
        cc.add(to, kept.count);
        continue;
      }
      lanes.store_kept(p.storage, x86::ptr(to), value(p.value), kept);
      cc.lea(to, x86::ptr(to, kept.count, StageFrame::scale(p.storage)));
    }
  }
  // Behind the loop.
  void store(x86::Compiler& cc) {
    for (const StagePack& p : packs_) cc.mov(frame_.cell(slot(p)), frame_.pointer(slot(p)));
  }

 private:
  [[nodiscard]] static Slot slot(const StagePack& p) { return {SlotKind::kAdvance, p.advance}; }

  StageFrame& frame_;
  const std::vector<StagePack>& packs_;
};

}  // namespace nvm::vm::cpu
