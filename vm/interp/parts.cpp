#include "vm/interp/parts.h"

#include "bytecode/ssa/facts.h"
#include "vm/prims/part_maps.h"

namespace nvm::vm {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class Finder {
 public:
  Finder(const ssa::Function& f, const std::vector<bool>& formula)
      : f_(f), formula_(formula), makers_(ssa::makers_of(f)), may_(at(f.values()), false) {}

  std::vector<bool> run() {
    for (const ssa::Block& block : f_.blocks)
      for (const ssa::Inst& inst : block.insts)
        if (is_part(inst) || is_map(inst)) may_[at(inst.first_result)] = true;
    for (const ssa::Block& block : f_.blocks) {
      for (const ssa::ValueId v : block.end.arguments) may_[at(v)] = false;
      if (block.end.kind == ssa::Exit::kBranch) may_[at(block.end.condition)] = false;
    }
    exclude_late();
    for (bool changed = true; changed;) changed = exclude_readers() || exclude_makers();
    return std::move(may_);
  }

 private:
  // Is operand 1 a vector of ascending places that is not written?
  [[nodiscard]] bool moves_by_runs(const ssa::Inst& inst) const {
    const ssa::ValueId places = f_.operands_of(inst)[1];
    return formula_[at(places)] && makers_[at(places)] != nullptr && makers_[at(places)]->op == Op::kIndex;
  }
  [[nodiscard]] bool is_part(const ssa::Inst& inst) const {
    return inst.op == Op::kBpermute && moves_by_runs(inst);
  }
  [[nodiscard]] bool is_map(const ssa::Inst& inst) const {
    return inst.results == 1 && !formula_[at(inst.first_result)] &&
           find_part_maker(inst.op, inst.word) != nullptr && inst.op != Op::kBpermute;
  }

  // What is read behind a call, or further on than in the next block: it holds what it is made of.
  void exclude_late() {
    std::vector<std::int32_t> before(f_.blocks.size(), -1);
    for (std::int32_t b = 0; b < static_cast<std::int32_t>(f_.blocks.size()); ++b) {
      const ssa::Terminator& end = f_.blocks[at(b)].end;
      if (end.kind == ssa::Exit::kBranch) before[at(end.otherwise)] = b;
      if (end.kind == ssa::Exit::kBranch || end.kind == ssa::Exit::kJump) before[at(end.target)] = b;
    }
    // Stretches are numbered: one begins with each block and behind each call.
    std::int32_t stretch = 0;
    std::vector<std::int32_t> made(may_.size(), -1), last(f_.blocks.size(), -1);
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) {
      std::int32_t reaches = before[b] >= 0 ? last[at(before[b])] : -1;  // the stretch before, up to a call
      for (const ssa::Inst& inst : f_.blocks[b].insts) {
        for (std::uint32_t i = 0; i < inst.operands; ++i) {
          const std::int32_t from = made[at(f_.operands_of(inst)[i])];
          if (from < 0 || (from != stretch && from != reaches)) may_[at(f_.operands_of(inst)[i])] = false;
        }
        if (inst.op == Op::kCall) ++stretch, reaches = -1;
        for (std::uint32_t r = 0; r < inst.results; ++r)
          made[at(inst.first_result + static_cast<ssa::ValueId>(r))] = stretch;
      }
      last[b] = stretch++;
    }
  }

  // From the last instruction to the first: what stands at the end of a chain excludes all of it in one go.
  bool exclude_readers() {
    std::vector<bool> read(may_.size(), false);
    bool changed = false;
    for (auto block = f_.blocks.rbegin(); block != f_.blocks.rend(); ++block)
      for (auto inst = block->insts.rbegin(); inst != block->insts.rend(); ++inst)
        for (std::uint32_t i = 0; i < inst->operands; ++i) {
          const ssa::ValueId v = f_.operands_of(*inst)[i];
          read[at(v)] = true;
          if (!may_[at(v)] || (is_map(*inst) && may_[at(inst->first_result)]) ||
              (inst->op == Op::kDpermute && i == 0 && moves_by_runs(*inst)))
            continue;
          may_[at(v)] = false;
          changed = true;
        }
    for (std::size_t v = 0; v < may_.size(); ++v) {
      if (!may_[v] || read[v]) continue;
      may_[v] = false;
      changed = true;
    }
    return changed;
  }

  // Maps of which no operand may be one.
  bool exclude_makers() {
    bool changed = false;
    for (const ssa::Block& block : f_.blocks)
      for (const ssa::Inst& inst : block.insts) {
        if (!is_map(inst) || !may_[at(inst.first_result)]) continue;
        bool any = false;
        for (std::uint32_t i = 0; i < inst.operands; ++i) any = any || may_[at(f_.operands_of(inst)[i])];
        if (any) continue;
        may_[at(inst.first_result)] = false;
        changed = true;
      }
    return changed;
  }

  const ssa::Function& f_;
  const std::vector<bool>& formula_;
  std::vector<const ssa::Inst*> makers_;
  std::vector<bool> may_;
};

}  // namespace

std::vector<bool> find_parts(const ssa::Function& f, const std::vector<bool>& formula) {
  return Finder(f, formula).run();
}

}  // namespace nvm::vm
