#include "bytecode/plan/block_plan.h"

#include <algorithm>

#include "bytecode/base/check.h"
#include "bytecode/base/extent.h"

namespace nvm::plan {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// By LengthId: the length that bounds it, itself if it is known on entry; kNone if nothing does.
std::vector<LengthId> bounds_of(const Plan& plan) {
  std::vector<LengthId> by(plan.lengths.size(), kNone);
  for (std::size_t n = 0; n < by.size(); ++n)
    if (plan.lengths[n] != LengthKind::kCounted) by[n] = static_cast<LengthId>(n);
  for (const Kernel& kernel : plan.kernels)
    for (const Sink& s : kernel.sinks)
      if (s.kind == SinkKind::kCount && s.out_length != kNone) by[at(s.out_length)] = by[at(kernel.space)];
  // What is kept in a kernel that need not count it is no longer than the kernel.
  for (const Kernel& kernel : plan.kernels)
    for (const Sink& s : kernel.sinks)
      if (s.out != kNone && s.filter != kNone && s.kind == SinkKind::kStore)
        if (LengthId& n = by[at(plan.vars[at(s.out)].length)]; n == kNone) n = by[at(kernel.space)];
  return by;
}

class BlockChecker {
 public:
  explicit BlockChecker(const BlockPlan& plan) : plan_(plan) {}

  void run() {
    require(!plan_.procedures.empty(), "a plan has an entry");
    for (const Procedure& p : plan_.procedures) {
      p_ = &p;
      check_procedure();
    }
  }

 private:
  void require(bool holds, const char* rule) const {
    NVM_CHECK(holds, std::string(rule) + "\n" + print(plan_));
  }
  [[nodiscard]] Type type_of(const BlockSource& s) const {
    if (!s.constant) return p_->value_types.at(at(s.number));
    return nvm::type_of(plan_.constants.at(at(s.number)).word);
  }

  void check_procedure() {
    require(!p_->blocks.empty() && p_->parameters.size() == p_->blocks.size(), "a procedure has blocks");
    const std::vector<bool> nothing(p_->value_types.size(), false);
    there_.assign(p_->blocks.size(), nothing);
    reached_.assign(p_->blocks.size(), false);
    reached_[0] = true;
    for (std::size_t b = 0; b < p_->blocks.size(); ++b) {
      if (!reached_[b]) continue;
      for (const ValueId v : p_->parameters[b]) there_[b].at(at(v)) = true;
      check_block(b);
    }
  }

  void check_reads(std::size_t b, const BlockSource& s) const {
    if (!s.constant) require(there_[b].at(at(s.number)), "only what is there is read");
  }

  void check_block(std::size_t b) {
    const PlanBlock& block = p_->blocks[b];
    plan::check(block.plan);
    check_inputs(b);
    for (const BlockOutput& out : block.outputs) {
      const Var& v = block.plan.vars.at(at(out.var));
      require(v.role != VarRole::kTemp, "outputs are kept");
      const Type type = v.is_desc ? Type::kSegdes : v.type;
      require(type == p_->value_types.at(at(out.value)), "outputs are of their values' types");
      require(!there_[b][at(out.value)], "a value is defined once");
      there_[b][at(out.value)] = true;
    }
    for (const BlockSource& s : block.arguments) check_reads(b, s);
    check_end(b);
  }

  // Every length that is given has an input that has it; those that are not given are bounded by one that is.
  void check_inputs(std::size_t b) const {
    const PlanBlock& block = p_->blocks[b];
    std::vector<bool> carried(block.plan.lengths.size(), false), bound(block.plan.vars.size(), false);
    for (const BlockInput& in : block.inputs) {
      check_reads(b, in.source);
      const Var& v = block.plan.vars.at(at(in.var));
      require(v.role == VarRole::kInput, "inputs are bound");
      const Type type = type_of(in.source);
      require(in.what == BlockInput::What::kValue ? (type == Type::kSegdes) == v.is_desc
                                                  : !v.is_desc && v.type == Type::kInt,
              "inputs are of their sources' kinds");
      bound[at(in.var)] = true;
      carried[at(v.length)] = true;
      if (v.is_desc) carried[at(v.total)] = true;
    }
    const std::vector<LengthId> by = bounds_of(block.plan);
    for (std::size_t x = 0; x < bound.size(); ++x) {
      const Var& v = block.plan.vars[x];
      require(bound[x] || v.role != VarRole::kInput, "all inputs are bound");
      for (const LengthId n : {v.length, v.is_desc ? v.total : kNone})
        if (n != kNone && block.plan.lengths[at(n)] == LengthKind::kBound)
          require(carried[at(n)], "every length is that of an input");
      if (v.role == VarRole::kOutput)
        require(by[at(v.length)] != kNone, "memory is bounded when a block is entered");
    }
  }

  void check_end(std::size_t b) {
    const PlanBlock& block = p_->blocks[b];
    switch (block.end) {
      case BlockEnd::kGiveUp: return;
      case BlockEnd::kReturn: return fits(block.arguments, p_->results);
      case BlockEnd::kJump: {
        fits(block.arguments, types(*p_, p_->parameters.at(at(block.target))));
        return go(b, block.target);
      }
      case BlockEnd::kBranch:
        check_reads(b, block.condition);
        require(type_of(block.condition) == Type::kBool, "decisions are BOOL");
        go(b, block.target);
        return go(b, block.otherwise);
      case BlockEnd::kCall: {
        const Procedure& callee = plan_.procedures.at(at(block.callee));
        fits(block.arguments, types(callee, callee.parameters.at(0)));
        require(types(*p_, block.results) == callee.results, "results of calls are those of the callee");
        for (const ValueId v : block.results) there_[b].at(at(v)) = true;
        return go(b, block.target);
      }
    }
  }
  void fits(const std::vector<BlockSource>& given, const std::vector<Type>& wanted) const {
    require(given.size() == wanted.size(), "as many arguments as parameters");
    for (std::size_t i = 0; i < given.size(); ++i)
      require(type_of(given[i]) == wanted[i], "arguments are of the parameters' types");
  }
  static std::vector<Type> types(const Procedure& p, const std::vector<ValueId>& values) {
    std::vector<Type> all;
    for (const ValueId v : values) all.push_back(p.value_types.at(at(v)));
    return all;
  }
  // What is there at the target is what is there on every way to it.
  void go(std::size_t from, std::int32_t to) {
    require(to > static_cast<std::int32_t>(from) && at(to) < p_->blocks.size(), "blocks go forward");
    if (!reached_[at(to)]) {
      there_[at(to)] = there_[from];
      reached_[at(to)] = true;
      return;
    }
    for (std::size_t v = 0; v < there_[at(to)].size(); ++v)
      there_[at(to)][v] = there_[at(to)][v] && there_[from][v];
  }

  const BlockPlan& plan_;
  const Procedure* p_ = nullptr;
  std::vector<std::vector<bool>> there_;  // by block: values that are there when it is entered, then left
  std::vector<bool> reached_;
};

// ------------------------------------------------------------------------------------------ printing

std::string text(const BlockSource& s) { return (s.constant ? "c" : "%") + std::to_string(s.number); }

std::string text(const std::vector<BlockSource>& all) {
  std::string out;
  for (const BlockSource& s : all) out += (out.empty() ? "" : ", ") + text(s);
  return out;
}

std::string text(const std::vector<ValueId>& all) {
  std::string out;
  for (const ValueId v : all) out += (out.empty() ? "%" : ", %") + std::to_string(v);
  return out;
}

std::string text(const BlockInput& in) {
  const char* what = in.what == BlockInput::What::kLengths ? "lengths of "
                     : in.what == BlockInput::What::kCount ? "number of "
                     : in.what == BlockInput::What::kTotal ? "total of "
                                                           : "";
  return "  x" + std::to_string(in.var) + " is " + what + text(in.source) + "\n";
}

std::string end_text(const BlockPlan& plan, const PlanBlock& block) {
  const auto b = [](std::int32_t n) { return "b" + std::to_string(n); };
  switch (block.end) {
    case BlockEnd::kJump:
      return "jump " + b(block.target) + (block.arguments.empty() ? "" : " " + text(block.arguments));
    case BlockEnd::kBranch:
      return "branch " + text(block.condition) + " " + b(block.target) + " " + b(block.otherwise);
    case BlockEnd::kCall:
      return text(block.results) + " = call " + plan.procedures[at(block.callee)].name + " " +
             text(block.arguments) + ", then " + b(block.target);
    case BlockEnd::kReturn: return "return " + text(block.arguments);
    case BlockEnd::kGiveUp: return "give up";
  }
  return "";
}

}  // namespace

MemoryBound::MemoryBound(const Plan& plan) {
  const std::vector<LengthId> by = bounds_of(plan);
  for (const Var& v : plan.vars) {
    if (v.role == VarRole::kInput || by[at(v.length)] == kNone) continue;
    const auto size = static_cast<std::int64_t>(v.is_desc ? sizeof(std::int64_t) : storage_bytes(v.storage));
    const LengthId n = by[at(v.length)];
    made_.push_back({plan.lengths[at(n)] == LengthKind::kOne ? kNone : n, size, v.is_desc ? size : 0});
  }
}

std::int64_t MemoryBound::bytes(std::span<const std::int64_t> lengths) const {
  ByteCount sum(0);
  for (const Made& m : made_) {
    const std::int64_t count = m.by == kNone ? 1 : lengths[at(m.by)];
    const ByteCount bytes =
        ByteCount::of(count, static_cast<std::size_t>(m.size)) + static_cast<std::size_t>(m.more);
    sum = sum + (bytes.get() / kGrain + 2) * kGrain;
  }
  return static_cast<std::int64_t>(sum.get());
}

void check(const BlockPlan& plan) { BlockChecker(plan).run(); }

std::string print(const BlockPlan& plan) {
  std::string out;
  for (std::size_t p = 0; p < plan.procedures.size(); ++p) {
    const Procedure& made = plan.procedures[p];
    out += "procedure " + made.name + (made.tail_parallel ? "  { tail-parallel }" : "") + "\n";
    for (std::size_t b = 0; b < made.blocks.size(); ++b) {
      const PlanBlock& block = made.blocks[b];
      const std::string parameters = text(made.parameters[b]);
      out += "b" + std::to_string(b) + (parameters.empty() ? "" : " ") + parameters + ":\n";
      for (const BlockInput& in : block.inputs) out += text(in);
      if (!block.plan.kernels.empty()) {
        const std::string inside = print(block.plan);
        out += inside.substr(inside.find('\n') + 1);
      }
      for (const BlockOutput& o : block.outputs)
        out += "  %" + std::to_string(o.value) + " is x" + std::to_string(o.var) + "\n";
      out += "  " + end_text(plan, block) + "\n";
    }
  }
  return out;
}

}  // namespace nvm::plan
