// eliminate_common.
//
// Requires: check(). Ensures: of two equal instructions that are no calls and touch no state, where one
// dominates the other and no clock is read between them, the second is gone; one that may fail too, since the
// first would have failed before. Destroys: value numbers. Cost: linear; a dominance test per repetition.
#include <unordered_map>

#include "bytecode/ssa/cfg.h"
#include "bytecode/ssa/edit.h"
#include "bytecode/ssa/passes.h"

namespace nvm::ssa {

namespace {

struct Seen {
  BlockId block;
  ValueId first_result;
};

std::string key_of(const Function& f, const Inst& in) {
  std::string key{static_cast<char>(in.op), static_cast<char>(in.word)};
  key.append(reinterpret_cast<const char*>(&in.index), sizeof in.index);
  key.append(reinterpret_cast<const char*>(f.operands_of(in)), in.operands * sizeof(ValueId));
  return key;
}

void eliminate_common(Function& f) {
  const Dominators idom = immediate_dominators(f);
  std::unordered_map<std::string, std::vector<Seen>> seen;
  Rewrite rewrite(f);
  rewrite.run([&](const Inst& in) {
    if (is_clock(in)) seen.clear();
    if (in.op == Op::kCall || op_info(in.op).effect == Effect::kOrdered) return false;
    std::vector<Seen>& before = seen[key_of(f, in)];
    for (const Seen& s : before) {
      if (!dominates(idom, s.block, rewrite.block())) continue;
      for (std::uint32_t r = 0; r < in.results; ++r)
        rewrite.replace(in.first_result + static_cast<ValueId>(r), s.first_result + static_cast<ValueId>(r));
      return true;
    }
    before.push_back({rewrite.block(), in.first_result});
    return false;
  });
  compact(f);
}

}  // namespace

void eliminate_common(Module& module) {
  for (Function& f : module.functions) eliminate_common(f);
}

}  // namespace nvm::ssa
