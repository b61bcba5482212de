// Reductions inside the loop of a stage: the 16 lanes of every fold stay in registers, a ring of vectors that
// turns by one with every iteration.
#pragma once

#include <vector>

#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"

namespace nvm::vm::cpu {

class FoldEmitter {
 public:
  FoldEmitter(Lanes& lanes, const std::vector<StageFold>& folds) : m_(lanes), folds_(folds) {}

  // In front of the loop. `base` gives the register with the address of a fold's lanes.
  template <typename Base>
  void load(Base base, const x86::Mem& phase) {
    if (folds_.empty()) return;
    turn_ = m_.cc().newInt64();
    m_.cc().mov(turn_, phase);
    for (const StageFold& f : folds_) {
      const x86::Gp lanes = base(f);
      auto& ring = rings_.emplace_back();
      for (int j = 0; j < vectors(); ++j) ring.push_back(m_.load(f.cell, place(f, lanes, j)));
    }
  }
  // In a loop whose rounds go around the ring as a whole: vector `turn` of it takes `value`.
  template <typename Value>
  void combine_in(std::size_t turn, Value value) {
    for (std::size_t k = 0; k < folds_.size(); ++k) {
      const Lane& to = rings_[k][turn % rings_[k].size()];
      const Lane args[2] = {to, value(folds_[k])};
      m_.cc().vmovapd(to.v, emit_scalar(m_, folds_[k].op, args).v);
    }
  }
  // In the loop: the next vector of the ring takes `value`, of those folds of which `wanted` (by number).
  template <typename Value, typename Wanted>
  void combine(Value value, Wanted wanted) {
    for (std::size_t k = 0; k < folds_.size(); ++k) {
      if (!wanted(k)) continue;
      auto& ring = rings_[k];
      const Lane args[2] = {ring[0], value(folds_[k])};
      const Lane next = emit_scalar(m_, folds_[k].op, args);
      for (std::size_t j = 0; j + 1 < ring.size(); ++j) m_.cc().vmovapd(ring[j].v, ring[j + 1].v);
      m_.cc().vmovapd(ring.back().v, next.v);
    }
  }
  template <typename Value>
  void combine(Value value) {
    combine(value, [](std::size_t) { return true; });
  }
  // A sum of INT, whose lanes may take anything in any order, takes a number besides: in a lane of the last
  // iteration, since of few elements no others are read.
  void add(std::size_t k, const x86::Gp& number) {
    const x86::Xmm low = m_.cc().newXmm();
    m_.cc().vmovq(low, number);
    const x86::Vec& to = rings_[k].back().v;
    m_.cc().vpaddq(to, to, x86::Vec(low).cloneAs(to));
  }
  // Behind the loop over n iterations.
  template <typename Base>
  void store(Base base, const x86::Gp& n) {
    if (folds_.empty()) return;
    const x86::Gp done = m_.cc().newInt64();
    m_.cc().mov(done, n);
    m_.cc().shr(done, m_.count() == 8 ? 3 : 2);
    m_.cc().add(turn_, done);
    for (std::size_t k = 0; k < folds_.size(); ++k)
      for (int j = 0; j < vectors(); ++j)
        m_.store(folds_[k].cell, place(folds_[k], base(folds_[k]), j), rings_[k][static_cast<std::size_t>(j)],
                 false);
  }

 private:
  [[nodiscard]] int vectors() const { return 16 / m_.count(); }
  // Vector j of the ring as it stands.
  [[nodiscard]] x86::Mem place(const StageFold& f, const x86::Gp& lanes, int j) {
    const int bytes = m_.count() * static_cast<int>(storage_bytes(f.cell));
    const x86::Gp offset = m_.cc().newInt64();
    m_.cc().lea(offset, x86::ptr(turn_, j));
    m_.cc().and_(offset, vectors() - 1);
    m_.cc().imul(offset, offset, bytes);
    return x86::ptr(lanes, offset);
  }

  Lanes& m_;
  const std::vector<StageFold>& folds_;
  std::vector<std::vector<Lane>> rings_;  // by fold
  x86::Gp turn_;
};

}  // namespace nvm::vm::cpu
