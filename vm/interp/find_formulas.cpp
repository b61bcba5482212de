#include "bytecode/ssa/cfg.h"
#include "bytecode/table/op_kind.h"
#include "vm/interp/unwritten.h"
#include "vm/prims/cycles.h"
#include "vm/prims/formula.h"

namespace nvm::vm {

namespace {

std::size_t at(ssa::ValueId v) { return static_cast<std::size_t>(v); }

// Takes from `may` what `inst` reads and must have written. A comparison reads formulas only where it makes
// one.
void exclude(const ssa::Function& f, const ssa::Inst& inst, const std::vector<Op>& maker,
             std::vector<bool>& may) {
  const bool reads = !compares(inst.op) || may[at(inst.first_result)];
  for (std::uint32_t i = 0; i < inst.operands; ++i) {
    const ssa::ValueId v = f.operands_of(inst)[i];
    if (may[at(v)]) may[at(v)] = reads && reads_formula(inst.op, i, maker[at(v)]);
  }
}

// A DPERMUTE waits for another one of its block only, and not across calls: it holds what it moves.
void exclude_late(const ssa::Function& f, const std::vector<Op>& maker, std::vector<bool>& may) {
  std::vector<std::int64_t> made(may.size(), -1);  // the stretch between calls in which
  std::int64_t stretch = 0;
  for (const ssa::Block& block : f.blocks) {
    ++stretch;
    for (const ssa::Inst& inst : block.insts) {
      if (inst.op == Op::kCall) ++stretch;
      for (std::uint32_t i = 0; i < inst.operands; ++i) {
        const ssa::ValueId v = f.operands_of(inst)[i];
        if (maker[at(v)] == Op::kDpermute && made[at(v)] != stretch) may[at(v)] = false;
      }
      if (inst.op == Op::kDpermute) made[at(inst.first_result)] = stretch;
    }
  }
}

// PACK leaves the places of flags unwritten if it packs indices that are not written, and it alone reads such
// (but moves).
void exclude_packed(const ssa::Function& f, const std::vector<Op>& maker, std::vector<bool>& may) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const ssa::Block& block : f.blocks)
      for (const ssa::Inst& inst : block.insts) {
        if (inst.op != Op::kPack) continue;
        const ssa::ValueId indices = f.operands_of(inst)[0];
        const bool both = may[at(inst.first_result)] && may[at(indices)] && maker[at(indices)] == Op::kIndex;
        const bool either =
            may[at(inst.first_result)] || (maker[at(indices)] == Op::kIndex && may[at(indices)]);
        if (both || !either) continue;
        may[at(inst.first_result)] = false;
        if (maker[at(indices)] == Op::kIndex) may[at(indices)] = false;
        changed = true;
      }
  }
}

// Finds what grows evenly: from a +_SCAN that may be a formula, by what passes growth on (takes_growth), to a
// REPLACE that may be one. Starts from all that are computed so and takes away those that somebody reads in
// another way.
class Growing {
 public:
  Growing(const ssa::Function& f, const std::vector<Op>& maker, const std::vector<bool>& may)
      : f_(f), maker_(maker), may_(may), banned_(may.size(), false) {}

  std::vector<bool> run() {
    ssa::each_read(f_, [&](ssa::ValueId v, const ssa::Inst* inst, std::uint32_t) {
      if (inst == nullptr) banned_[at(v)] = true;
    });
    do {
      follow();
    } while (exclude_readers());
    return std::move(grows_);
  }

 private:
  // Growth begins at the sums that EXTRACT takes out, and ends in REPLACE.
  [[nodiscard]] bool grows(const ssa::Inst& inst) const {
    if (inst.results != 1 || banned_[at(inst.first_result)] || inst.word != TypeWord::kInt ||
        op_kind(inst.op) == OpKind::kReplace)
      return false;
    for (std::uint32_t i = 0; i < inst.operands; ++i) {
      const ssa::ValueId from = f_.operands_of(inst)[i];
      const bool sums = maker_[at(from)] == Op::kAddScan && may_[at(from)];
      if (takes_growth(inst.op, i) && (op_kind(inst.op) == OpKind::kExtract ? sums : grows_[at(from)]))
        return true;
    }
    return false;
  }
  void follow() {
    grows_.assign(may_.size(), false);
    ssa::each_inst(f_, [&](const ssa::Inst& inst) {
      if (grows(inst)) grows_[at(inst.first_result)] = true;
    });
  }
  [[nodiscard]] bool reads(const ssa::Inst& inst, std::uint32_t i) const {
    const bool ends = op_kind(inst.op) == OpKind::kReplace;
    return takes_growth(inst.op, i) && (ends ? may_ : grows_)[at(inst.first_result)];
  }
  bool exclude_readers() {
    bool changed = false;
    ssa::each_read(f_, [&](ssa::ValueId v, const ssa::Inst* inst, std::uint32_t i) {
      if (inst != nullptr && grows_[at(v)] && !reads(*inst, i)) banned_[at(v)] = changed = true;
    });
    return changed;
  }

  const ssa::Function& f_;
  const std::vector<Op>& maker_;
  const std::vector<bool>& may_;
  std::vector<bool> banned_, grows_;
};

}  // namespace

std::vector<bool> find_formulas(const ssa::Function& f) {
  const auto count = static_cast<std::size_t>(f.values());
  std::vector<bool> may(count, false);
  std::vector<Op> maker(count, Op::kExit);
  ssa::each_inst(f, [&](const ssa::Inst& inst) {
    if (find_maker(inst.op) == nullptr || find_growing_maker(inst.op) != nullptr) return;
    may[at(inst.first_result)] = true;
    maker[at(inst.first_result)] = inst.op;
  });
  ssa::each_read(f, [&](ssa::ValueId v, const ssa::Inst* inst, std::uint32_t) {
    if (inst == nullptr) may[at(v)] = false;
  });
  for (const bool comparisons : {false, true})  // what comparisons may read hangs on what reads them
    ssa::each_inst(f, [&](const ssa::Inst& inst) {
      if (compares(inst.op) == comparisons) exclude(f, inst, maker, may);
    });
  exclude_late(f, maker, may);
  exclude_packed(f, maker, may);
  const std::vector<bool> growing = Growing(f, maker, may).run();
  for (std::size_t v = 0; v < count; ++v) may[v] = may[v] || growing[v];
  return may;
}

}  // namespace nvm::vm
