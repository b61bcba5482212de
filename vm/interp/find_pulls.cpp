#include "vm/interp/find_pulls.h"

#include <array>
#include <map>

#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/facts.h"

namespace nvm::vm {

namespace {

using ssa::ValueId;

constexpr std::size_t kWorthFields = 4;      // that one vector of indices reads; below, little is saved
constexpr std::uint32_t kMostOperands = 64;  // of who reads a pull: Step::pulled has as many bits

std::size_t at(ValueId v) { return static_cast<std::size_t>(v); }

bool moves(Op op) { return op_takes(op, 0, Form::kGather); }

class Finder {
 public:
  Finder(const ssa::Function& f, ssa::FunctionId id, const ssa::Demand& demand)
      : f_(f), id_(id), demand_(demand), makers_(ssa::makers_of(f)) {
    const auto count = static_cast<std::size_t>(f.values());
    found_.may.assign(count, false);
    found_.leaves.assign(count, false);
    read_far_ = found_.may;
    reads_.assign(count, 0);
  }

  Pulls run() {
    if (f_.lifted.lifted) return std::move(found_);  // block mode looks at its arguments
    note_reads();
    ssa::each_inst(f_, [&](const ssa::Inst& inst) {
      if (inst.op == Op::kCall && inst.index == id_) note_call(inst);
    });
    while (spread()) {
    }
    return std::move(found_);
  }

 private:
  void note_reads() {
    ssa::each_read(f_, [&](ValueId v, const ssa::Inst*, std::uint32_t i) {
      ++reads_[at(v)];
      if (i >= kMostOperands) read_far_[at(v)] = true;
    });
  }

  // Fields by the same indices for parameters that are moved on, or that nobody reads.
  void note_call(const ssa::Inst& call) {
    std::map<std::array<ValueId, 3>, std::vector<std::uint32_t>> fields;
    const auto& parameters = f_.blocks[0].parameters;
    for (std::uint32_t i = 0; i < call.operands; ++i) {
      const ValueId v = f_.operands_of(call)[i];
      const ssa::Inst* made = makers_[at(v)];
      if (made == nullptr || !op_views(made->op).leaves.has(Form::kGather) || reads_[at(v)] != 1) continue;
      if (!demand_.may(parameters[i], Form::kGather) || read_far_[at(parameters[i])]) continue;
      const ValueId* operands = f_.operands_of(*made);
      fields[{operands[1], operands[2], operands[3]}].push_back(i);
    }
    for (const auto& [indices, places] : fields) {
      if (places.size() < kWorthFields) continue;
      for (const std::uint32_t i : places) {
        found_.leaves[at(f_.operands_of(call)[i])] = true;
        found_.may[at(parameters[i])] = true;
      }
    }
  }

  // To what is made of pulls by moving them; false if there was nothing left.
  bool spread() {
    bool any = false;
    for (const ssa::Block& block : f_.blocks)
      for (const ssa::Inst& inst : block.insts) {
        if (!moves(inst.op) || !found_.may[at(f_.operands_of(inst)[0])]) continue;
        const ssa::Inst* indices = makers_[at(f_.operands_of(inst)[1])];
        const bool sorts = indices != nullptr && op_info(indices->op).kind == OpKind::kRank;
        const ValueId result = inst.first_result;
        if (sorts || found_.may[at(result)] || found_.leaves[at(result)] || read_far_[at(result)]) continue;
        found_.may[at(result)] = any = true;
      }
    return any;
  }

  const ssa::Function& f_;
  ssa::FunctionId id_;
  const ssa::Demand& demand_;
  std::vector<const ssa::Inst*> makers_;
  std::vector<bool> read_far_;  // by ValueId: by a place that Step::pulled does not reach
  std::vector<int> reads_;
  Pulls found_;
};

}  // namespace

bool Pulls::takes(const ssa::Inst& inst) const { return moves(inst.op) && may[at(inst.first_result)]; }

Pulls find_pulls(const ssa::Function& f, ssa::FunctionId id, const ssa::Demand& demand) {
  return Finder(f, id, demand).run();
}

}  // namespace nvm::vm
