// FLOAT reductions of segments of many elements, a segment in each lane: of each the lanes of a block
// (vm/simd/reduce_tree.h) as vectors in memory, of which the elements take one after the other.
#pragma once

#include <vector>

#include "vm/cpu/codegen/lanes.h"
#include "vm/simd/reduce_tree.h"

namespace nvm::vm::cpu {

class OuterTree {
 public:
  explicit OuterTree(Lanes& lanes) : lanes_(lanes) {}

  // In front of all loops.
  void add(std::size_t fold, Scalar op, const Lane& identity) {
    if (folds_.empty()) next_ = lanes_.cc().newInt64();
    folds_.push_back({fold, op, identity, lanes_.cc().newStack(static_cast<std::uint32_t>(bytes()), 64)});
  }
  void begin_block() {
    for (const Fold& f : folds_)
      for (std::int32_t l = 0; l < kReduceLanes; ++l)
        lanes_.store(Storage::kF64, lane_of(f, l), f.identity, false);
    if (!folds_.empty()) lanes_.cc().xor_(next_, next_);
  }
  // An element; `values` are those of all folds.
  void combine(const std::vector<Lane>& values) {
    for (const Fold& f : folds_) {
      x86::Mem at = f.lanes;
      at.setIndex(next_);
      const Lane now = combined(f, lanes_.load(Storage::kF64, at), values[f.number]);
      lanes_.store(Storage::kF64, at, now, false);
    }
    if (folds_.empty()) return;
    lanes_.cc().add(next_, vector_bytes());
    lanes_.cc().and_(next_, bytes() - 1);
  }
  void end_block(const std::vector<Lane>& running) {
    for (const Fold& f : folds_) {
      std::vector<Lane> all;
      for (std::int32_t l = 0; l < kReduceLanes; ++l)
        all.push_back(lanes_.load(Storage::kF64, lane_of(f, l)));
      for (std::size_t w = all.size() / 2; w > 0; w /= 2)
        for (std::size_t l = 0; l < w; ++l) all[l] = combined(f, all[l], all[l + w]);
      lanes_.cc().vmovaps(running[f.number].v, combined(f, running[f.number], all[0]).v);
    }
  }

 private:
  struct Fold {
    std::size_t number;
    Scalar op;
    Lane identity;
    x86::Mem lanes;
  };
  [[nodiscard]] std::int32_t vector_bytes() const { return 8 * lanes_.count(); }
  [[nodiscard]] std::int32_t bytes() const {
    return static_cast<std::int32_t>(kReduceLanes) * vector_bytes();
  }
  [[nodiscard]] x86::Mem lane_of(const Fold& f, std::int32_t l) const {
    x86::Mem at = f.lanes;
    at.addOffset(l * vector_bytes());
    return at;
  }
  [[nodiscard]] Lane combined(const Fold& f, const Lane& a, const Lane& b) {
    const Lane args[2] = {a, b};
    return emit_scalar(lanes_, f.op, args);
  }

  Lanes& lanes_;
  std::vector<Fold> folds_;
  x86::Gp next_;  // bytes to the vector that the next element goes to
};

}  // namespace nvm::vm::cpu
