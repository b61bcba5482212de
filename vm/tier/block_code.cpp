#include "vm/tier/block_code.h"

#include <algorithm>

namespace nvm::vm {

using plan::BlockEnd;
using plan::BlockSource;
using plan::PlanBlock;
using plan::Procedure;
using plan::ValueId;

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

using ValueSet = std::vector<bool>;  // by ValueId

// What is read at a block or behind it. Blocks go forward, so one pass from the last does.
class Liveness {
 public:
  explicit Liveness(const Procedure& procedure) : p_(procedure), read_(procedure.blocks.size()) {
    for (std::size_t b = p_.blocks.size(); b-- > 0;) {
      const PlanBlock& block = p_.blocks[b];
      ValueSet live = after(block);
      for (const plan::BlockInput& in : block.inputs) read(in.source, live);
      for (const BlockSource& s : block.arguments) read(s, live);
      if (block.end == BlockEnd::kBranch) read(block.condition, live);
      read_[b] = std::move(live);
    }
  }

  [[nodiscard]] bool reads(std::int32_t block, ValueId v) const { return read_[at(block)][at(v)]; }
  // Of what stands in the frame at the end of block b, what nobody reads from block `next` on.
  [[nodiscard]] std::vector<ValueId> dead(std::size_t b, std::int32_t next) const {
    const PlanBlock& block = p_.blocks[b];
    ValueSet there = read_[b];
    for (const ValueId v : p_.parameters[b]) there[at(v)] = true;
    for (const plan::BlockOutput& out : block.outputs) there[at(out.value)] = true;
    std::vector<ValueId> all;
    for (std::size_t v = 0; v < there.size(); ++v)
      if (there[v] && (next == soac::kNone || !read_[at(next)][v])) all.push_back(static_cast<ValueId>(v));
    return all;
  }

 private:
  static void read(const BlockSource& s, ValueSet& live) {
    if (!s.constant) live[at(s.number)] = true;
  }
  // Without what comes to be only on the way, or here.
  [[nodiscard]] ValueSet after(const PlanBlock& block) const {
    ValueSet live(p_.value_types.size(), false);
    for (const std::int32_t next : {block.target, block.otherwise}) {
      if (next == soac::kNone) continue;
      for (std::size_t v = 0; v < live.size(); ++v) live[v] = live[v] || read_[at(next)][v];
      for (const ValueId v : p_.parameters[at(next)]) live[at(v)] = false;
    }
    for (const ValueId v : block.results) live[at(v)] = false;
    for (const plan::BlockOutput& out : block.outputs) live[at(out.value)] = false;
    return live;
  }

  const Procedure& p_;
  std::vector<ValueSet> read_;
};

// Does the block do nothing but return these?
bool returns_only(const PlanBlock& block, const std::vector<ValueId>& results) {
  return block.end == BlockEnd::kReturn && block.inputs.empty() && block.outputs.empty() &&
         std::equal(block.arguments.begin(), block.arguments.end(), results.begin(), results.end(),
                    [](const BlockSource& s, ValueId v) {
                      return s == BlockSource{false, v};
                    });
}

class Compiler {
 public:
  Compiler(plan::Engine& engine, CodeByPlan& known) : engine_(engine), known_(known) {}

  bool run(FunctionCode& f, std::string& reason) {
    for (const Procedure& procedure : f.plan.procedures) {
      ProcedureCode made{&procedure, {}};
      const Liveness liveness(procedure);
      for (std::size_t b = 0; b < procedure.blocks.size(); ++b) {
        made.blocks.push_back(make(procedure, b, liveness));
        if (!compile(made.blocks.back(), procedure.name + " b" + std::to_string(b), reason)) return false;
        f.most_vars = std::max(f.most_vars, procedure.blocks[b].plan.vars.size());
        f.most_lengths = std::max(f.most_lengths, procedure.blocks[b].plan.lengths.size());
      }
      f.procedures.push_back(std::move(made));
    }
    find_constants(f);
    return true;
  }

 private:
  static void find_constants(FunctionCode& f) {
    const auto read = [&f](const BlockSource& s) {
      if (s.constant) f.constants.push_back(s.number);
    };
    for (const Procedure& procedure : f.plan.procedures)
      for (const PlanBlock& block : procedure.blocks) {
        for (const plan::BlockInput& in : block.inputs) read(in.source);
        for (const BlockSource& s : block.arguments) read(s);
        if (block.end == BlockEnd::kBranch) read(block.condition);
      }
    std::sort(f.constants.begin(), f.constants.end());
    f.constants.erase(std::unique(f.constants.begin(), f.constants.end()), f.constants.end());
  }

  static BlockCode make(const Procedure& procedure, std::size_t b, const Liveness& liveness) {
    const PlanBlock& block = procedure.blocks[b];
    BlockCode code(block);
    if (block.end == BlockEnd::kGiveUp) return code;
    code.dead = liveness.dead(b, block.target);
    if (block.end == BlockEnd::kBranch) code.dead_otherwise = liveness.dead(b, block.otherwise);
    if (block.end != BlockEnd::kCall) return code;
    code.tail = returns_only(procedure.blocks[at(block.target)], block.results);
    if (code.tail) code.dead = liveness.dead(b, soac::kNone);
    for (const ValueId v : block.results) code.result_read.push_back(liveness.reads(block.target, v));
    return code;
  }

  bool compile(BlockCode& made, const std::string& name, std::string& reason) {
    if (made.block->plan.kernels.empty()) return true;
    std::shared_ptr<const plan::Code>& code = known_[plan::print(made.block->plan)];
    if (code == nullptr) {
      plan::Plan named = made.block->plan;
      named.name = name;
      code = engine_.compile(named, reason);
    }
    made.code = code;
    return code != nullptr;
  }

  plan::Engine& engine_;
  CodeByPlan& known_;
};

}  // namespace

std::unique_ptr<const FunctionCode> compile_blocks(plan::BlockPlan plan, plan::Engine& engine,
                                                   CodeByPlan& known, std::string& reason) {
  auto made = std::make_unique<FunctionCode>();
  made->plan = std::move(plan);
  if (!Compiler(engine, known).run(*made, reason)) return nullptr;
  return made;
}

}  // namespace nvm::vm
