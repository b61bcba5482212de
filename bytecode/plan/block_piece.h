// A stretch of a function's straight line that becomes the plan of one block.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bytecode/plan/block_plan.h"
#include "bytecode/ssa/facts.h"

namespace nvm::plan {

// A constant is computed by no block.
[[nodiscard]] inline bool is_constant(const ssa::Inst& in) {
  return op_info(in.op).kind == OpKind::kBlock && in.operands == 0;
}

// Made anew wherever it is read instead of being kept in the frame: a function of less than it makes, one
// number for each segment, which loops take as it is.
[[nodiscard]] inline bool is_spread(const ssa::Inst& in) {
  return op_info(in.op).kind == OpKind::kDist || op_info(in.op).kind == OpKind::kIota;
}

// Takes instructions as the recorder of a run would, but from what is known of sizes before anything runs.
class BlockPiece {
 public:
  enum class Taken : std::uint8_t {
    kYes,
    kCut,  // only if a block ends here: a size must be known that this one computes
    kNo,   // no plan has it; refusal() says why
  };

  BlockPiece(const ssa::Module& module, const ssa::Function& function, const ssa::FunctionFacts& facts,
             std::vector<const ssa::Inst*> makers);

  // What stands is as before if it is cut. Each instruction is looked at twice at most.
  [[nodiscard]] Taken take(const ssa::Inst& in);
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  // Nothing was taken.
  [[nodiscard]] bool empty() const { return now_.made.empty(); }
  // The plan, and what the frame gets of it: values that are `wanted`. Begins anew.
  [[nodiscard]] PlanBlock finish(const std::function<bool(ValueId)>& wanted, Fusion fusion);

  [[nodiscard]] static BlockSource source_of(const std::vector<const ssa::Inst*>& makers, ValueId v);

 private:
  struct Packed {
    VarId flags, desc, out_desc;
    LengthId length;
  };
  struct State {
    soac::Region region;
    std::vector<BlockInput> inputs;
    std::map<ValueId, VarId> vars;
    std::vector<ValueId> made;
    std::map<ssa::Symbol, LengthId> symbols;
    std::vector<LengthId> same;       // by LengthId: one that is the same number; a forest
    std::vector<bool> computed;       // by LengthId: the sum of lengths that are computed here
    std::vector<VarId> lengths_of;    // by VarId: the descriptor whose lengths it is
    std::vector<LengthId> number_of;  // by VarId: the length whose number it is
    std::vector<Packed> packed;
    std::vector<const ssa::Inst*> taken;
  };

  [[nodiscard]] Taken try_take(const ssa::Inst& in);
  [[nodiscard]] Taken take_lengths(const ssa::Inst& in);
  [[nodiscard]] Taken take_length(const ssa::Inst& in);
  [[nodiscard]] Taken take_segdes(const ssa::Inst& in, bool& done);
  [[nodiscard]] Taken take_any(const ssa::Inst& in);
  [[nodiscard]] Taken operand(ValueId v, VarId& x);
  [[nodiscard]] Taken unify(const ssa::Inst& in, const soac::VarList& operands);
  [[nodiscard]] Taken known_number(const ssa::Inst& in, LengthId n);
  [[nodiscard]] Taken results(const ssa::Inst& in, soac::RegionInst& made);
  [[nodiscard]] bool forms_fit(const ssa::Inst& in, const soac::VarList& operands) const;
  [[nodiscard]] Taken no(const ssa::Inst& in, const char* why);
  void define(ValueId v, VarId x);
  State begin_anew();  // what stood

  [[nodiscard]] Type type_of(ValueId v) const;
  [[nodiscard]] Storage widest(Type t) const;
  [[nodiscard]] const soac::Var& var(VarId x) const;
  VarId new_var(const soac::Var& v);
  VarId new_input(const BlockInput& from, const soac::Var& v);
  LengthId new_length(LengthKind kind);
  [[nodiscard]] LengthId root(LengthId n) const;
  [[nodiscard]] bool bound(LengthId n) const;
  // Of a size that an input has; kNone if this block computes it.
  [[nodiscard]] LengthId input_length(ssa::Symbol s);

  const ssa::Module& module_;
  const ssa::Function& f_;
  const ssa::FunctionFacts& facts_;
  std::vector<const ssa::Inst*> makers_;
  State now_;
  LengthId letters_[128] = {};
  std::string refusal_;
};

}  // namespace nvm::plan
