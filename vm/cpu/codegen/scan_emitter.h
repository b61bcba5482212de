// Scans of INT inside the loop of a stage: a vector is scanned in registers by doubling steps, and what lies
// before it is carried in a register. Exact in any order, so no tree has to be kept: from one vector to the
// next only the combination with the carry waits for the one before. In a striped loop every lane carries its
// own.
#pragma once

#include <vector>

#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"

namespace nvm::vm::cpu {

class ScanEmitter {
 public:
  ScanEmitter(Lanes& lanes, const std::vector<StageScan>& scans, bool striped)
      : m_(lanes), scans_(scans), striped_(striped) {}

  // In front of the loop. `cell` gives the word with what a scan has combined so far, striped the first of
  // one for each lane.
  template <typename Cell>
  void load(Cell cell) {
    if (scans_.empty()) return;
    last_ = m_.constant_int(m_.count() - 1);
    for (const StageScan& s : scans_) {
      const Lane identity = m_.constant_int(int_identity(s.op, m_.wide() ? IntBits::k64 : IntBits::k32));
      const Lane carry = striped_ ? m_.load(Storage::kI64, cell(s)) : m_.broadcast(Type::kInt, cell(s));
      Running r{identity, carry, m_.of(Type::kInt, m_.new_int()), carry};
      m_.cc().vmovaps(r.total.v, identity.v);
      running_.push_back(r);
    }
  }
  // In the loop: the exclusive scan at these iterations, given their operands.
  [[nodiscard]] Lane step(std::size_t k, const Lane& value) {
    Running& r = running_[k];
    if (striped_) {
      const Lane was = r.now;
      r.now = combine(k, was, value);
      return was;
    }
    Lane all = m_.select(m_.active(), value, r.identity);
    for (int by = 1; by < m_.count(); by *= 2) all = combine(k, m_.shifted(all, r.identity, by), all);
    const Lane before = combine(k, r.carry, m_.shifted(all, r.identity, 1));
    move(r.carry, combine(k, r.carry, m_.last(all, last_)));
    return before;
  }
  // In the loop, where nobody wants the scan itself.
  void total(std::size_t k, const Lane& value) {
    Running& r = running_[k];
    if (striped_) {
      r.now = combine(k, r.now, value);
      return;
    }
    move(r.total, combine(k, r.total, m_.select(m_.active(), value, r.identity)));
  }
  // At the end of a round of a striped loop.
  void settle() {
    for (Running& r : running_) {
      if (r.now.v.id() != r.carry.v.id()) move(r.carry, r.now);
      r.now = r.carry;
    }
  }
  // Behind the loop.
  template <typename Cell>
  void store(Cell cell) {
    for (std::size_t k = 0; k < scans_.size(); ++k) {
      Running& r = running_[k];
      if (striped_) {
        m_.store(Storage::kI64, cell(scans_[k]), r.carry, false);
        continue;
      }
      if (scans_[k].total) {
        Lane all = r.total;
        for (int by = 1; by < m_.count(); by *= 2) all = combine(k, m_.shifted(all, r.identity, by), all);
        r.carry = combine(k, r.carry, m_.last(all, last_));
      }
      m_.store_first(cell(scans_[k]), r.carry);
    }
  }

 private:
  struct Running {
    Lane identity;
    Lane carry;  // in all lanes
    Lane total;  // by lane
    Lane now;    // striped: the carry so far in this round
  };
  [[nodiscard]] Lane combine(std::size_t k, const Lane& a, const Lane& b) {
    const Lane args[2] = {a, b};
    return emit_scalar(m_, scans_[k].op, args);
  }
  void move(const Lane& to, const Lane& from) { m_.cc().vmovaps(to.v, from.v); }

  Lanes& m_;
  const std::vector<StageScan>& scans_;
  bool striped_;
  std::vector<Running> running_;  // by scan
  Lane last_;
};

}  // namespace nvm::vm::cpu
