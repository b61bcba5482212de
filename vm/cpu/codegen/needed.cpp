// What a stage evaluates of its body, and what of it may trap.
#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"

namespace nvm::vm::cpu {

using soac::BodyInst;
using soac::kNone;
using soac::Pull;

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

std::vector<bool> follow_index(const soac::Body& body) {
  std::vector<bool> follows;
  for (const BodyInst& in : body.insts) {
    const auto does = [&](std::int32_t v) { return v == kNone || follows[at(v)]; };
    follows.push_back(in.pull == Pull::kApply ? does(in.a) && does(in.b) && does(in.c)
                                              : in.pull == Pull::kIndex || in.pull == Pull::kWithin ||
                                                    in.pull == Pull::kConst || in.pull == Pull::kUniform);
  }
  return follows;
}

std::vector<bool> needed_values(const StageSpec& spec) {
  const auto& insts = spec.body->insts;
  std::vector<bool> needed(insts.size(), false), given(insts.size(), false);
  for (const StageOutput& out : spec.outputs) needed[at(out.value)] = true;
  for (const StageFold& fold : spec.folds) needed[at(fold.value)] = true;
  for (const StageScan& scan : spec.scans) needed[at(scan.value)] = true;
  for (const StagePack& pack : spec.packs) {
    needed[at(pack.flag)] = true;
    if (pack.value != kNone) needed[at(pack.value)] = true;
  }
  for (const StageInput& in : spec.inputs) given[at(in.value)] = true;
  std::vector<bool> straight(insts.size(), false), settled(insts.size(), false);
  for (const std::int32_t v : spec.straight.gathers) straight[at(v)] = settled[at(v)] = true;
  for (const std::int32_t v : spec.straight.settled) settled[at(v)] = true;
  for (std::size_t i = 0; i < insts.size(); ++i)
    if (spec.all_traps && !settled[i] && soac::may_trap(*spec.body, i)) needed[i] = true;
  for (std::size_t i = insts.size(); i-- > 0;) {
    if (!needed[i] || given[i] || insts[i].pull == Pull::kScanned) continue;
    if (straight[i]) {  // its flag alone
      if (insts[i].b != kNone) needed[at(insts[i].b)] = true;
      continue;
    }
    for (const std::int32_t arg : {insts[i].a, insts[i].b, insts[i].c})
      if (arg != kNone) needed[at(arg)] = true;
  }
  return needed;
}

}  // namespace nvm::vm::cpu
