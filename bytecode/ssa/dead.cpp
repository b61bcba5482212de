// eliminate_dead.
//
// Requires: check(). Ensures: every instruction is used, or may fail, or touches state; block parameters are
// used and differ between the ways in; no conditional has two empty arms; functions that no call reaches are
// removed. An instruction may fail unless cannot_fail() proves otherwise: an unused `+` of vectors whose
// lengths are not proven equal stays, but not an unused move by indices that another one has checked before.
// Destroys: value and block numbers. Cost: linear, after analyse_facts().
#include <algorithm>
#include <map>

#include "bytecode/base/budget.h"
#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/edit.h"
#include "bytecode/ssa/facts.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

namespace {

// By block, by instruction: may it be the first of its kind to fail? Not so if it checks no more than an
// instruction that is always executed before it.
std::vector<std::vector<bool>> first_to_fail(const Module& m, const Function& f, const FunctionFacts& facts) {
  const std::vector<const Inst*> makers = makers_of(f);
  const Dominators idom = immediate_dominators(f);
  std::map<IndexCheck, std::vector<BlockId>> made;  // where
  std::vector<std::vector<bool>> fails(f.blocks.size());
  for (std::size_t b = 0; b < f.blocks.size(); ++b) {
    const auto block = static_cast<BlockId>(b);
    for (const Inst& in : f.blocks[b].insts) {
      bool may = !cannot_fail(m, facts, f, in, makers);
      const IndexCheck check = may ? index_check(f, in) : IndexCheck{};
      if (check.index != kNoValue && lengths_agree(facts, f, in)) {
        std::vector<BlockId>& before = made[check];
        may =
            std::none_of(before.begin(), before.end(), [&](BlockId a) { return dominates(idom, a, block); });
        if (may) before.push_back(block);
      }
      fails[b].push_back(may);
    }
  }
  return fails;
}

// Marks what is needed, from the effects backwards.
class Marking {
 public:
  Marking(const Module& m, const Function& f, const FunctionFacts& facts)
      : f_(f), from_(predecessors(f)), defs_(definitions(f)), needed_(f.value_types.size(), false) {
    const std::vector<std::vector<bool>> fails = first_to_fail(m, f, facts);
    for (std::size_t b = 0; b < f.blocks.size(); ++b) {
      const Block& block = f.blocks[b];
      for (std::size_t i = 0; i < block.insts.size(); ++i)
        if (fails[b][i]) need_operands(block.insts[i]);
      if (block.end.kind == Exit::kBranch) need(block.end.condition);
      if (block.end.kind == Exit::kReturn)
        for (const ValueId v : block.end.arguments) need(v);
    }
    keep_.resize(f.blocks.size());
    while (!work_.empty()) {
      const ValueId v = work_.back();
      work_.pop_back();
      spread(v);
    }
    for (std::size_t b = 0; b < f.blocks.size(); ++b)
      for (std::size_t i = 0; i < fails[b].size(); ++i)
        keep_[b].push_back(fails[b][i] || any_result_needed(f.blocks[b].insts[i]));
  }

  [[nodiscard]] bool needed(ValueId v) const { return needed_[static_cast<std::size_t>(v)]; }
  [[nodiscard]] bool keep(std::size_t block, std::size_t inst) const { return keep_[block][inst]; }

 private:
  void need(ValueId v) {
    if (needed(v)) return;
    needed_[static_cast<std::size_t>(v)] = true;
    work_.push_back(v);
  }
  void need_operands(const Inst& in) {
    for (std::uint32_t i = 0; i < in.operands; ++i) need(f_.operands_of(in)[i]);
  }
  void spread(ValueId v) {
    check_budget();
    const Definition& d = defs_[static_cast<std::size_t>(v)];
    if (const Inst* in = maker(f_, defs_, v)) return need_operands(*in);
    if (d.block == 0) return;
    for (const BlockId p : from_[static_cast<std::size_t>(d.block)])
      need(f_.blocks[static_cast<std::size_t>(p)].end.arguments[static_cast<std::size_t>(d.number)]);
  }
  [[nodiscard]] bool any_result_needed(const Inst& in) const {
    for (std::uint32_t r = 0; r < in.results; ++r)
      if (needed(in.first_result + static_cast<ValueId>(r))) return true;
    return false;
  }

  const Function& f_;
  std::vector<std::vector<BlockId>> from_;
  std::vector<Definition> defs_;
  std::vector<bool> needed_;
  std::vector<std::vector<bool>> keep_;
  std::vector<ValueId> work_;
};

template <typename T, typename Keep>
void filter(std::vector<T>& list, Keep keep) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (keep(i)) list[n++] = std::move(list[i]);
  list.resize(n);
}

void sweep(Function& f, const Marking& marks) {
  std::vector<std::vector<bool>> used(f.blocks.size());
  for (std::size_t b = 1; b < f.blocks.size(); ++b)
    for (const ValueId p : f.blocks[b].parameters) used[b].push_back(marks.needed(p));
  for (std::size_t b = 0; b < f.blocks.size(); ++b) {
    Block& block = f.blocks[b];
    filter(block.insts, [&](std::size_t i) { return marks.keep(b, i); });
    if (block.end.kind == Exit::kJump) {
      const auto& parameters = used[static_cast<std::size_t>(block.end.target)];
      filter(block.end.arguments, [&](std::size_t i) { return parameters[i]; });
    }
    if (b > 0) filter(block.parameters, [&](std::size_t i) { return used[b][i]; });
  }
}

// A parameter that every way in gives the same value is that value; two parameters that get the same values
// are one.
bool same_everywhere(Function& f) {
  const auto from = predecessors(f);
  Renaming renaming(f.values());
  for (std::size_t b = 1; b < f.blocks.size(); ++b) {
    std::vector<ValueId>& parameters = f.blocks[b].parameters;
    if (parameters.empty() || from[b].empty()) continue;
    auto argument = [&](BlockId p, std::size_t i) {
      return renaming.find(f.blocks[static_cast<std::size_t>(p)].end.arguments[i]);
    };
    std::vector<bool> keep(parameters.size(), true);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      auto equal = [&](auto other) {
        return std::all_of(from[b].begin(), from[b].end(),
                           [&](BlockId p) { return argument(p, i) == other(p); });
      };
      const ValueId first = argument(from[b][0], i);
      ValueId same = equal([&](BlockId) { return first; }) ? first : kNoValue;
      for (std::size_t j = 0; j < i && same == kNoValue; ++j)
        if (keep[j] && equal([&](BlockId p) { return argument(p, j); })) same = parameters[j];
      if (same == kNoValue) continue;
      renaming.replace(parameters[i], same);
      keep[i] = false;
    }
    filter(parameters, [&](std::size_t i) { return keep[i]; });
    for (const BlockId p : from[b])
      filter(f.blocks[static_cast<std::size_t>(p)].end.arguments, [&](std::size_t i) { return keep[i]; });
  }
  rename_uses(f, renaming);
  return renaming.changed();
}

// A branch whose two arms are empty and lead to the same place with the same values decides nothing. Its
// condition must be one Bool all the same, so it stays unless that is proven.
bool drop_empty_branches(Function& f, const FunctionFacts& facts) {
  bool changed = false;
  for (Block& block : f.blocks) {
    if (block.end.kind != Exit::kBranch || !facts.is_scalar(block.end.condition)) continue;
    const Block& yes = f.blocks[static_cast<std::size_t>(block.end.target)];
    const Block& no = f.blocks[static_cast<std::size_t>(block.end.otherwise)];
    if (!yes.insts.empty() || !no.insts.empty() || yes.end.kind != Exit::kJump) continue;
    if (no.end.kind != Exit::kJump || yes.end.target != no.end.target) continue;
    if (yes.end.arguments != no.end.arguments) continue;
    block.end = yes.end;
    changed = true;
  }
  if (changed) drop_unreachable(f);
  return changed;
}

void remove_uncalled(Module& module) {
  std::vector<bool> called(module.functions.size(), false);
  std::vector<FunctionId> work{module.entry};
  called[static_cast<std::size_t>(module.entry)] = true;
  while (!work.empty()) {
    const Function& f = module.functions[static_cast<std::size_t>(work.back())];
    work.pop_back();
    for (const Block& block : f.blocks)
      for (const Inst& in : block.insts) {
        if (in.op != Op::kCall || called[static_cast<std::size_t>(in.index)]) continue;
        called[static_cast<std::size_t>(in.index)] = true;
        work.push_back(in.index);
      }
  }
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    Function& f = module.functions[i];
    if (!called[i] && !f.removed) remove_function(f);
  }
}

}  // namespace

void eliminate_dead(Module& module) {
  remove_uncalled(module);
  const std::vector<FunctionFacts> facts = analyse_facts(module);
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    Function& f = module.functions[i];
    if (f.removed) continue;
    // Value numbers stay those of `facts` until compact().
    bool changed = true;
    while (changed) {
      sweep(f, Marking(module, f, facts[i]));
      changed = same_everywhere(f);
      changed |= drop_empty_branches(f, facts[i]);
    }
    join_chains(f);
    compact(f);
  }
}

}  // namespace nvm::ssa
