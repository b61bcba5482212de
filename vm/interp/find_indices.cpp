#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/facts.h"
#include "vm/interp/unwritten.h"

namespace nvm::vm {

namespace {

using ssa::ValueId;

std::size_t at(ValueId v) { return static_cast<std::size_t>(v); }

class Finder {
 public:
  Finder(const ssa::Module& module, const ssa::Function& f)
      : module_(module), f_(f), makers_(ssa::makers_of(f)) {
    found_.runs.assign(at(f.values()), false);
    found_.strided = found_.runs;
  }

  UnwrittenIndices run() {
    find_runs();
    find_strided();
    return std::move(found_);
  }

 private:
  // Along which descriptor a move reads its indices; none of another instruction, or as another operand.
  [[nodiscard]] ValueId index_descriptor(const ssa::Inst& inst, std::uint32_t operand) const {
    if (operand != 1) return ssa::kNoValue;
    if (inst.op == Op::kPermute) return f_.operands_of(inst)[2];
    return inst.op == Op::kBpermute || inst.op == Op::kDpermute ? f_.operands_of(inst)[3] : ssa::kNoValue;
  }

  void find_runs() {
    ssa::each_inst(f_, [&](const ssa::Inst& inst) {
      if (inst.op == Op::kIndex && ssa::all_elements(module_, f_, f_.operands_of(inst)[1], makers_, 1))
        found_.runs[at(inst.first_result)] = true;
    });
    ssa::each_read(f_, [&](ValueId v, const ssa::Inst* inst, std::uint32_t i) {
      if (!found_.runs[at(v)]) return;
      if (inst == nullptr || f_.operands_of(*makers_[at(v)])[2] != index_descriptor(*inst, i))
        found_.runs[at(v)] = false;
    });
  }

  void find_strided() {
    const std::vector<int> reads = ssa::reads_of(f_);
    const auto only = [&](ValueId v, Op op) {
      return reads[at(v)] == 1 && makers_[at(v)] != nullptr && makers_[at(v)]->op == op;
    };
    ssa::each_inst(f_, [&](const ssa::Inst& inst) {
      if (inst.op != Op::kDpermute) return;
      const ValueId value = f_.operands_of(inst)[0];
      const ValueId index = f_.operands_of(inst)[1];
      if (!found_.runs[at(index)] && only(value, Op::kDist) && only(index, Op::kIndex))
        found_.strided[at(value)] = found_.strided[at(index)] = true;
    });
  }

  const ssa::Module& module_;
  const ssa::Function& f_;
  std::vector<const ssa::Inst*> makers_;
  UnwrittenIndices found_;
};

}  // namespace

UnwrittenIndices find_indices(const ssa::Module& module, const ssa::Function& f) {
  return Finder(module, f).run();
}

}  // namespace nvm::vm
