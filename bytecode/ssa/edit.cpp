#include "bytecode/ssa/edit.h"

#include <numeric>

#include "bytecode/base/budget.h"
#include "bytecode/base/check.h"
#include "bytecode/ssa/cfg.h"

namespace nvm::ssa {

Renaming::Renaming(std::int32_t values) : to_(static_cast<std::size_t>(values)) {
  std::iota(to_.begin(), to_.end(), 0);
}

void Renaming::replace(ValueId from, ValueId to) {
  to_[static_cast<std::size_t>(find(from))] = find(to);
  changed_ = true;
}

ValueId Renaming::find(ValueId v) {
  check_budget();
  for (auto n = static_cast<ValueId>(to_.size()); n <= v; ++n) to_.push_back(n);
  ValueId root = v;
  while (to_[static_cast<std::size_t>(root)] != root) root = to_[static_cast<std::size_t>(root)];
  while (v != root) {
    const ValueId next = to_[static_cast<std::size_t>(v)];
    to_[static_cast<std::size_t>(v)] = root;
    v = next;
  }
  return root;
}

void rename_uses(Function& function, Renaming& renaming) {
  if (!renaming.changed()) return;
  for (ValueId& v : function.operands) v = renaming.find(v);
  for (Block& block : function.blocks) {
    if (block.end.kind == Exit::kBranch) block.end.condition = renaming.find(block.end.condition);
    for (ValueId& v : block.end.arguments) v = renaming.find(v);
  }
}

void compact(Function& function) {
  std::vector<ValueId> number(function.value_types.size(), kNoValue);
  std::vector<Type> types;
  std::vector<ValueId> pool;
  auto define = [&](ValueId v) {
    number[static_cast<std::size_t>(v)] = static_cast<ValueId>(types.size());
    types.push_back(function.value_types[static_cast<std::size_t>(v)]);
  };
  auto use = [&](ValueId v) {
    const ValueId now = number[static_cast<std::size_t>(v)];
    NVM_CHECK(now != kNoValue, "use of a value without definition");
    return now;
  };
  for (Block& block : function.blocks) {
    for (ValueId& p : block.parameters) {
      define(p);
      p = use(p);
    }
    for (Inst& in : block.insts) {
      check_budget();
      const auto first = static_cast<std::uint32_t>(pool.size());
      for (std::uint32_t i = 0; i < in.operands; ++i) pool.push_back(use(function.operands_of(in)[i]));
      in.first_operand = first;
      for (std::uint32_t r = 0; r < in.results; ++r) define(in.first_result + static_cast<ValueId>(r));
      if (in.results > 0) in.first_result = use(in.first_result);
    }
    if (block.end.kind == Exit::kBranch) block.end.condition = use(block.end.condition);
    for (ValueId& v : block.end.arguments) v = use(v);
  }
  function.value_types = std::move(types);
  function.operands = std::move(pool);
}

void remove_function(Function& function) {
  function.removed = true;
  Block stops;
  stops.parameters = std::move(function.blocks[0].parameters);
  stops.end.kind = Exit::kStop;
  function.blocks = std::vector<Block>{std::move(stops)};  // gives up the memory
  compact(function);
}

void drop_unreachable(Function& function) {
  std::vector<bool> reached(function.blocks.size(), false);
  reached[0] = true;
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {  // topological order: one pass
    if (!reached[b]) continue;
    const Terminator& end = function.blocks[b].end;
    if (end.kind == Exit::kJump || end.kind == Exit::kBranch)
      reached[static_cast<std::size_t>(end.target)] = true;
    if (end.kind == Exit::kBranch) reached[static_cast<std::size_t>(end.otherwise)] = true;
  }
  std::vector<BlockId> now(function.blocks.size(), -1);
  std::vector<Block> kept;
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    if (!reached[b]) continue;
    now[b] = static_cast<BlockId>(kept.size());
    kept.push_back(std::move(function.blocks[b]));
  }
  for (Block& block : kept) {
    if (block.end.target >= 0) block.end.target = now[static_cast<std::size_t>(block.end.target)];
    if (block.end.otherwise >= 0) block.end.otherwise = now[static_cast<std::size_t>(block.end.otherwise)];
  }
  function.blocks = std::move(kept);
}

void join_chains(Function& function) {
  const auto from = predecessors(function);
  Renaming renaming(function.values());
  // Where a block's instructions went.
  std::vector<BlockId> into(function.blocks.size());
  std::iota(into.begin(), into.end(), 0);
  for (std::size_t b = 1; b < function.blocks.size(); ++b) {
    if (from[b].size() != 1) continue;
    Block& before = function.blocks[static_cast<std::size_t>(into[static_cast<std::size_t>(from[b][0])])];
    if (before.end.kind != Exit::kJump) continue;
    Block& block = function.blocks[b];
    for (std::size_t i = 0; i < block.parameters.size(); ++i)
      renaming.replace(block.parameters[i], before.end.arguments[i]);
    before.insts.insert(before.insts.end(), block.insts.begin(), block.insts.end());
    before.end = block.end;
    into[b] = into[static_cast<std::size_t>(from[b][0])];
    block = Block{};
  }
  rename_uses(function, renaming);
  drop_unreachable(function);
}

Rewrite::Rewrite(Function& function)
    : f_(function), renaming_(function.values()), born_(function.value_types.size()) {
  for (std::size_t b = 0; b < f_.blocks.size(); ++b)
    for (const ValueId p : f_.blocks[b].parameters)
      born_[static_cast<std::size_t>(p)] = {static_cast<BlockId>(b), -1};
}

void Rewrite::rename(Inst& in) {
  for (std::uint32_t i = 0; i < in.operands; ++i) {
    ValueId& v = f_.operands[in.first_operand + i];
    v = renaming_.find(v);
  }
}

void Rewrite::rename(Terminator& end) {
  if (end.kind == Exit::kBranch) end.condition = renaming_.find(end.condition);
  for (ValueId& v : end.arguments) v = renaming_.find(v);
}

void Rewrite::keep(const Inst& in) {
  std::vector<Inst>& insts = f_.blocks[block_].insts;
  for (std::uint32_t r = 0; r < in.results; ++r)
    born_[static_cast<std::size_t>(in.first_result) + r] = {block(), static_cast<std::int32_t>(insts.size())};
  insts.push_back(in);
}

const Inst* Rewrite::maker(ValueId v) const {
  const Birth& b = born_[static_cast<std::size_t>(v)];
  if (b.inst < 0) return nullptr;
  return &f_.blocks[static_cast<std::size_t>(b.block)].insts[static_cast<std::size_t>(b.inst)];
}

ValueId Rewrite::emit(Op op, TypeWord word, std::initializer_list<ValueId> operands, Type result,
                      const Inst& like, std::int32_t index) {
  Inst in = like;
  in.op = op;
  in.word = word;
  in.index = index;
  in.first_operand = static_cast<std::uint32_t>(f_.operands.size());
  in.operands = static_cast<std::uint32_t>(operands.size());
  f_.operands.insert(f_.operands.end(), operands);
  in.results = 1;
  in.first_result = f_.values();
  f_.value_types.push_back(result);
  born_.push_back({});
  keep(in);
  return in.first_result;
}

}  // namespace nvm::ssa
