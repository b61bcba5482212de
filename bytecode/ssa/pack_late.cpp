// pack_late: a cheap elementwise instruction is computed after a filter instead of before it, from what is
// filtered anyway.
//
// Requires: check(). Ensures: PACK of f(x, ..) is f of the PACKs of x, .. where these stand before it with
// the same flags and descriptor; and a parameter of a block that is f(x, ..) on every way in is computed
// there from the parameters that are x, ... One vector less is packed, and none is made only to be packed: in
// a lifted conditional's side the whole step becomes one pass. Destroys: value numbers. Cost: linear in the
// code; for every block with parameters, their number times that of the ways in.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "bytecode/ssa/edit.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

namespace {

// Costs hardly more than reading its result would, and cannot fail.
bool is_cheap(const Inst& in) {
  const OpInfo& info = op_info(in.op);
  if (info.kind != OpKind::kMap || info.effect != Effect::kPure || in.results != 1 || in.operands != 2)
    return false;
  switch (info.scalar) {
    case Scalar::kAdd:
    case Scalar::kSub:
    case Scalar::kMul: return true;
    default: return false;
  }
}

class PackingLate {
 public:
  explicit PackingLate(Function& f) : f_(f), rewrite_(f), jumps_into_(f.blocks.size()) {
    for (std::size_t b = 0; b < f.blocks.size(); ++b) {
      const Terminator& end = f.blocks[b].end;
      if (end.kind == Exit::kJump)
        jumps_into_[static_cast<std::size_t>(end.target)].push_back(static_cast<BlockId>(b));
    }
  }

  void run() {
    rewrite_.run([this](const Inst& in) { return visit(in); }, [this](const Inst& in) { enter(in); });
    compact(f_);
  }

 private:
  struct Packed {
    ValueId elements, result, descriptor;
  };

  bool visit(const Inst& in) {
    if (in.op != Op::kPack) return false;
    std::vector<Packed>& known = packed_[{rewrite_.operand(in, 1), rewrite_.operand(in, 2)}];
    const ValueId elements = rewrite_.operand(in, 0);
    const Inst* maker = rewrite_.maker(elements);
    std::vector<ValueId> operands;
    if (maker != nullptr && is_cheap(*maker)) {
      for (std::uint32_t i = 0; i < maker->operands; ++i) {
        const auto found = std::find_if(known.begin(), known.end(), [&](const Packed& p) {
          return p.elements == rewrite_.operand(*maker, i);
        });
        if (found != known.end()) operands.push_back(found->result);
      }
    }
    if (maker == nullptr || operands.empty() || operands.size() < maker->operands) {
      known.push_back({elements, in.first_result, in.first_result + 1});
      return false;
    }
    const ValueId descriptor = known.front().descriptor;
    const ValueId result = emit(*maker, operands, in);
    rewrite_.replace(in.first_result, result);
    rewrite_.replace(in.first_result + 1, descriptor);
    known.push_back({elements, result, descriptor});
    return true;
  }

  ValueId emit(const Inst& what, const std::vector<ValueId>& operands, const Inst& like) {
    const Op op = what.op;  // emitting moves instructions
    const TypeWord word = what.word;
    const Type type = f_.value_types[static_cast<std::size_t>(what.first_result)];
    return rewrite_.emit(op, word, {operands[0], operands[1]}, type, like);
  }

  // Makes what the block's parameters are on every way in.
  void enter(const Inst& like) {
    block_ = rewrite_.block();
    packed_.clear();
    const std::vector<BlockId>& ways = jumps_into_[static_cast<std::size_t>(block_)];
    if (ways.size() < 2) return;
    const std::vector<ValueId> parameters = f_.blocks[static_cast<std::size_t>(block_)].parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Inst* first = rewrite_.maker(argument(ways[0], i));
      if (first == nullptr || !is_cheap(*first) || first->operands != 2) continue;
      std::vector<ValueId> operands;
      for (std::uint32_t k = 0; k < 2; ++k)
        if (const std::optional<ValueId> p = parameter_for(ways, parameters, i, *first, k))
          operands.push_back(*p);
      if (operands.size() < 2) continue;
      rewrite_.replace(parameters[i], emit(*first, operands, like));
    }
  }

  // The parameter that is operand k of what makes parameter i, on every way; `first` is that of the first.
  std::optional<ValueId> parameter_for(const std::vector<BlockId>& ways,
                                       const std::vector<ValueId>& parameters, std::size_t i,
                                       const Inst& first, std::uint32_t k) const {
    for (std::size_t q = 0; q < parameters.size(); ++q) {
      const bool all = std::all_of(ways.begin(), ways.end(), [&](BlockId way) {
        const Inst* in = rewrite_.maker(argument(way, i));
        return in != nullptr && in->op == first.op && in->word == first.word &&
               rewrite_.operand(*in, k) == argument(way, q);
      });
      if (all && q != i) return parameters[q];
    }
    return std::nullopt;
  }

  [[nodiscard]] ValueId argument(BlockId way, std::size_t i) const {
    return f_.blocks[static_cast<std::size_t>(way)].end.arguments[i];
  }

  Function& f_;
  Rewrite rewrite_;
  std::vector<std::vector<BlockId>> jumps_into_;  // by block
  BlockId block_ = -1;
  std::map<std::pair<ValueId, ValueId>, std::vector<Packed>>
      packed_;  // of the block, by flags and descriptor
};

}  // namespace

void pack_late(Module& module) {
  for (Function& f : module.functions) PackingLate(f).run();
}

}  // namespace nvm::ssa
