// A lifted function of SSA to a BlockPlan: each straight line is cut where a size must be known, where
// something is called, and at its end.
#include <algorithm>
#include <deque>
#include <span>

#include "bytecode/base/check.h"
#include "bytecode/plan/block_piece.h"
#include "bytecode/ssa/levels.h"

namespace nvm::plan {

using ssa::FunctionId;
using ssa::Inst;

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Where a check of the program has failed, or something has effects.
bool gives_up(const ssa::Block& block) {
  return block.end.kind == ssa::Exit::kStop ||
         std::any_of(block.insts.begin(), block.insts.end(),
                     [](const Inst& in) { return op_info(in.op).kind == OpKind::kHost; });
}

// What holds of the parameters however instances are cut; what is not cut is as in the calls of the module.
ssa::ParameterClasses classes_of_group(const ssa::Function& f, const ssa::FunctionFacts& facts) {
  using Kind = ssa::Split::Kind;
  const std::vector<ssa::Split>& splits = f.lifted.parameters;
  std::int32_t frame = 0;
  for (std::size_t i = 0; i < splits.size(); ++i)
    if (splits[i].kind == Kind::kFrame) frame = static_cast<std::int32_t>(i);
  ssa::ParameterClasses classes;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    std::int32_t length = static_cast<std::int32_t>(2 * i);
    if (splits[i].kind == Kind::kSame && facts.is_scalar(f.blocks[0].parameters[i])) length = ssa::kClassOne;
    if (splits[i].kind == Kind::kFrame) length = ssa::kClassOne;
    if (splits[i].kind == Kind::kInstances) length = 2 * frame + 1;
    if (splits[i].kind == Kind::kUnder) length = 2 * splits[i].under + 1;
    classes.push_back(length);
    classes.push_back(static_cast<std::int32_t>(2 * i + 1));
  }
  return classes;
}

class BlockPlanBuilder {
 public:
  BlockPlanBuilder(const ssa::Module& module, FunctionId entry, Fusion fusion)
      : module_(module), entry_(entry), fusion_(fusion) {
    plan_.int_bits = module.int_bits;
    plan_.name = function(entry).name;
  }

  // False, and refusal(), if something has no form.
  bool run() {
    if (!function(entry_).lifted.lifted) return refuse("it is not lifted");
    if (module_.prefix_lengths) return refuse("lengths of the legacy compiler are not checked");
    std::vector<ssa::ParameterClasses> most(module_.functions.size());
    most[at(entry_)] = classes_of_group(function(entry_), ssa::analyse_sizes(module_)[at(entry_)]);
    facts_ = ssa::analyse_sizes(module_, most);
    procedure_of_.assign(module_.functions.size(), kNone);
    procedure(entry_);
    while (!waiting_.empty()) {
      const FunctionId id = waiting_.front();
      waiting_.pop_front();
      if (!build(id)) return false;
    }
    return true;
  }
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  BlockPlan take() { return std::move(plan_); }

 private:
  [[nodiscard]] const ssa::Function& function(FunctionId id) const { return module_.functions[at(id)]; }
  bool refuse(const std::string& why) {
    refusal_ = why;
    return false;
  }
  std::int32_t procedure(FunctionId id) {
    std::int32_t& number = procedure_of_[at(id)];
    if (number != kNone) return number;
    number = static_cast<std::int32_t>(plan_.procedures.size());
    plan_.procedures.emplace_back();
    waiting_.push_back(id);
    return number;
  }

  bool build(FunctionId id) {
    const ssa::Function& f = function(id);
    f_ = &f;
    makers_ = ssa::makers_of(f);
    find_last_reads();
    blocks_.clear();
    first_.assign(f.blocks.size(), kNone);
    parameters_.clear();
    for (const Type t : f.value_types)
      if (t == Type::kPair) return refuse("pairs in " + f.name + ": no plan has them");
    BlockPiece piece(module_, f, facts_[at(id)], makers_);
    for (std::size_t b = 0; b < f.blocks.size(); ++b)
      if (!build(f.blocks[b], b, piece)) return false;
    for (PlanBlock& block : blocks_) {  // blocks of SSA so far, but for calls and cuts
      if (block.end == BlockEnd::kBranch || block.end == BlockEnd::kJump)
        if (block.target < 0) block.target = first_[at(~block.target)];
      if (block.end == BlockEnd::kBranch) block.otherwise = first_[at(~block.otherwise)];
    }
    Procedure& made = plan_.procedures[at(procedure_of_[at(id)])];
    made.name = f.name;
    made.function = id;
    made.value_types = f.value_types;
    made.results = f.results;
    made.parameters = std::move(parameters_);
    made.blocks = std::move(blocks_);
    made.tail_parallel = ssa::find_levels(module_, id).has_value();
    return true;
  }

  // Who reads a value last: instructions and ends of blocks are numbered in order, and blocks go forward.
  // What is made anew where it is read is itself not read there: what it is made of is.
  void find_last_reads() {
    last_read_.assign(at(f_->values()), 0);
    std::vector<std::size_t> anew(last_read_.size(), 0);  // by ValueId: where a plan makes it last
    const auto read_by_plan = [&](ValueId v, std::size_t number) {
      const Inst* maker = makers_[at(v)];
      std::size_t& last = (maker != nullptr && is_spread(*maker) ? anew : last_read_)[at(v)];
      last = std::max(last, number);
    };
    first_number_.clear();
    std::size_t number = 0;
    for (const ssa::Block& block : f_->blocks) {
      first_number_.push_back(number);
      const std::size_t end = number + block.insts.size();
      if (!gives_up(block)) {
        for (const Inst& in : block.insts) {
          const bool calls = op_info(in.op).kind == OpKind::kControl;
          for (const ValueId v : std::span(f_->operands_of(in), in.operands)) {
            if (calls)
              last_read_[at(v)] = number;
            else
              read_by_plan(v, number);
          }
          ++number;
        }
        for (const ValueId v : block.end.arguments) last_read_[at(v)] = end;
        if (block.end.kind == ssa::Exit::kBranch) last_read_[at(block.end.condition)] = end;
      }
      number = end + 1;
    }
    for (auto block = f_->blocks.rbegin(); block != f_->blocks.rend(); ++block)
      for (auto in = block->insts.rbegin(); in != block->insts.rend(); ++in)
        if (is_spread(*in) && anew[at(in->first_result)] > 0)
          for (const ValueId v : std::span(f_->operands_of(*in), in->operands))
            read_by_plan(v, anew[at(in->first_result)]);
  }

  // The frame gets what is read at instruction `end` of block b or behind it.
  PlanBlock& close(BlockPiece& piece, std::size_t b, std::size_t end) {
    const std::size_t here = first_number_[b] + end;
    blocks_.push_back(piece.finish([&](ValueId v) { return last_read_[at(v)] >= here; }, fusion_));
    parameters_.emplace_back();
    return blocks_.back();
  }
  [[nodiscard]] std::vector<BlockSource> sources(std::span<const ValueId> values) {
    std::vector<BlockSource> all;
    for (const ValueId v : values) all.push_back(BlockPiece::source_of(makers_, v));
    return all;
  }
  [[nodiscard]] std::int32_t next() const { return static_cast<std::int32_t>(blocks_.size()); }

  bool build(const ssa::Block& block, std::size_t b, BlockPiece& piece) {
    first_[b] = next();
    if (gives_up(block)) {
      blocks_.emplace_back();
      parameters_.push_back(block.parameters);
      return true;
    }
    const std::size_t begun = parameters_.size();
    for (std::size_t i = 0; i < block.insts.size(); ++i) {
      const Inst& in = block.insts[i];
      if (is_constant(in)) {
        if (module_.constants[at(in.index)].input >= 0)
          return refuse("an input of the program in " + f_->name);
        continue;
      }
      if (op_info(in.op).kind == OpKind::kControl) {  // a call, within a block
        call(in, close(piece, b, i));
        continue;
      }
      if (is_spread(in) && last_read_[at(in.first_result)] == 0) continue;
      BlockPiece::Taken taken = piece.take(in);
      if (taken == BlockPiece::Taken::kCut && !piece.empty()) {
        PlanBlock& cut = close(piece, b, i);
        cut.end = BlockEnd::kJump;
        cut.target = next();
        taken = piece.take(in);
      }
      if (taken == BlockPiece::Taken::kYes) continue;
      if (taken == BlockPiece::Taken::kNo) return refuse(piece.refusal());
      return refuse(std::string(op_info(in.op).text) + " in " + f_->name + ": its size is not bounded");
    }
    end(block, close(piece, b, block.insts.size()));
    parameters_[begun] = block.parameters;
    return true;
  }

  void call(const Inst& in, PlanBlock& block) {
    block.end = BlockEnd::kCall;
    block.callee = procedure(in.index);
    block.arguments = sources({f_->operands_of(in), in.operands});
    for (std::uint32_t r = 0; r < in.results; ++r)
      block.results.push_back(in.first_result + static_cast<ValueId>(r));
    block.target = next();
  }

  void end(const ssa::Block& from, PlanBlock& block) {
    block.arguments = sources(from.end.arguments);
    switch (from.end.kind) {
      case ssa::Exit::kReturn: block.end = BlockEnd::kReturn; return;
      case ssa::Exit::kJump:
        block.end = BlockEnd::kJump;
        block.target = ~from.end.target;
        return;
      case ssa::Exit::kBranch:
        block.end = BlockEnd::kBranch;
        block.condition = BlockPiece::source_of(makers_, from.end.condition);
        block.target = ~from.end.target;
        block.otherwise = ~from.end.otherwise;
        return;
      case ssa::Exit::kStop: return;
    }
  }

  const ssa::Module& module_;
  FunctionId entry_;
  Fusion fusion_;
  std::vector<ssa::FunctionFacts> facts_;
  BlockPlan plan_;
  std::vector<std::int32_t> procedure_of_;  // by FunctionId
  std::deque<FunctionId> waiting_;
  std::string refusal_;
  // Of the function being built.
  const ssa::Function* f_ = nullptr;
  std::vector<const Inst*> makers_;
  std::vector<PlanBlock> blocks_;
  std::vector<std::vector<ValueId>> parameters_;
  std::vector<std::int32_t> first_;        // by block of SSA
  std::vector<std::size_t> first_number_;  // by block of SSA
  std::vector<std::size_t> last_read_;     // by ValueId; 0 where nobody does
};

}  // namespace

std::optional<BlockPlan> build_block_plan(const ssa::Module& module, FunctionId function, Fusion fusion,
                                          std::string& refusal) {
  BlockPlanBuilder builder(module, function, fusion);
  if (!builder.run()) {
    refusal = builder.refusal();
    return std::nullopt;
  }
  BlockPlan plan = builder.take();
  plan.constants = module.constants;
  check(plan);
  return plan;
}

std::string print_block_plans(const ssa::Module& module, Fusion fusion) {
  std::string out;
  std::vector<bool> told(module.functions.size(), false);
  for (std::size_t f = 0; f < told.size(); ++f) {
    const ssa::Function& function = module.functions[f];
    if (told[f] || function.removed || !function.lifted.lifted) continue;
    std::string refusal;
    const auto plan = build_block_plan(module, static_cast<FunctionId>(f), fusion, refusal);
    out += "block plan of f" + std::to_string(f) + " " + function.name;
    if (!plan) {
      out += ": none, " + refusal + "\n";
      continue;
    }
    out += "\n" + print(*plan);
    for (const Procedure& p : plan->procedures) told[at(p.function)] = true;
  }
  return out;
}

}  // namespace nvm::plan
