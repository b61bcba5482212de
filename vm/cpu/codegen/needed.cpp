// What a stage evaluates of its body, and what of it may trap.
#include <algorithm>
#include <initializer_list>

#include "bytecode/base/at.h"
#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"

namespace nvm::vm::cpu {

using soac::BodyInst;
using soac::kNone;
using soac::Pull;

namespace {

// Values that some pulls give, and what others that pass it on compute of them alone (`all`) or of one of
// them.
template <typename Pulls>
std::vector<bool> follow(const soac::Body& body, Pulls pulls, std::initializer_list<Pull> passing, bool all) {
  const auto passes_on = [&](Pull p) {
    return std::find(passing.begin(), passing.end(), p) != passing.end();
  };
  std::vector<bool> follows;
  for (const BodyInst& in : body.insts) {
    const auto does = [&](std::int32_t v) { return v == kNone ? all : follows[at(v)]; };
    const bool by_arguments =
        all ? does(in.a) && does(in.b) && does(in.c) : does(in.a) || does(in.b) || does(in.c);
    follows.push_back(pulls(in.pull) || (passes_on(in.pull) && by_arguments));
  }
  return follows;
}

}  // namespace

std::vector<bool> follow_index(const soac::Body& body) {
  return follow(
      body,
      [](Pull p) {
        return p == Pull::kIndex || p == Pull::kWithin || p == Pull::kConst || p == Pull::kUniform;
      },
      {Pull::kApply}, true);
}

std::vector<bool> same_in_lanes(const StageSpec& spec) {
  return follow(
      *spec.body,
      [&](Pull p) {
        return p == Pull::kConst || p == Pull::kUniform || (p == Pull::kWithin && spec.outer != nullptr);
      },
      {Pull::kApply, Pull::kGather}, true);
}

std::vector<bool> inside_of(const StageSpec& spec) {
  return follow(
      *spec.body,
      [](Pull p) {
        return p == Pull::kIndex || p == Pull::kWithin || p == Pull::kElement || p == Pull::kScanned;
      },
      {Pull::kApply, Pull::kGather, Pull::kCheck}, false);
}

ValuesByPlace values_by_place(const StageSpec& spec, const std::vector<bool>& needed) {
  const auto& insts = spec.body->insts;
  if (spec.outer->many) return {};
  ValuesByPlace values{inside_of(spec), std::vector<bool>(insts.size()), std::vector<bool>(insts.size())};
  const std::vector<bool> same = same_in_lanes(spec);
  std::vector<bool> read(insts.size());  // by the inner loop
  for (const OuterFold& f : spec.outer->folds) read[at(f.value)] = true;
  for (std::size_t i = insts.size(); i-- > 0;) {
    const BodyInst& in = insts[i];
    const bool turns = values.in_front[i] && needed[i];  // follows the element
    values.in_front[i] = turns && same[i];
    const bool keeps = in.type != Type::kBool && in.pull != Pull::kWithin;
    values.tabled[i] = values.in_front[i] && keeps && read[i];
    values.inside[i] = turns && (!same[i] || (read[i] && !keeps));
    if (!values.inside[i] || in.pull == Pull::kScanned) continue;
    for (const std::int32_t v : {in.a, in.b, in.c})
      if (v != kNone) read[at(v)] = true;
  }
  const bool any = std::find(values.tabled.begin(), values.tabled.end(), true) != values.tabled.end();
  return any ? values : ValuesByPlace{};
}

std::vector<std::optional<EvenValue>> even_values(const StageSpec& spec) {
  const auto& insts = spec.body->insts;
  std::vector<std::optional<EvenValue>> even(insts.size());
  if (spec.outer == nullptr || !spec.outer->many) return even;
  const std::vector<bool> inside = inside_of(spec);
  const auto counts = [&](std::int32_t v) { return insts[at(v)].pull == Pull::kWithin; };
  for (std::size_t i = 0; i < insts.size(); ++i) {
    const BodyInst& in = insts[i];
    const bool adds = in.scalar == Scalar::kAdd;
    if (in.pull != Pull::kApply || in.type != Type::kInt || (!adds && in.scalar != Scalar::kMul)) continue;
    for (const auto& [outer, inner] : {std::pair(in.a, in.b), std::pair(in.b, in.a)}) {
      if (inside[at(outer)]) continue;
      if (counts(inner)) even[i] = adds ? EvenValue{outer, kNone} : EvenValue{kNone, outer};
      if (adds && even[at(inner)] && even[at(inner)]->start == kNone)
        even[i] = EvenValue{outer, even[at(inner)]->stride};
    }
  }
  return even;
}

std::vector<bool> read_only_by(const StageSpec& spec, const std::vector<bool>& needed,
                               const std::vector<std::size_t>& readers) {
  const auto& insts = spec.body->insts;
  std::vector<bool> alone(insts.size(), true);
  for (const OuterFold& f : spec.outer->folds) alone[at(f.value)] = false;
  for (std::size_t i = 0; i < insts.size(); ++i) {
    const bool reads = needed[i] && std::find(readers.begin(), readers.end(), i) == readers.end();
    for (const std::int32_t v : {insts[i].a, insts[i].b, insts[i].c})
      if (reads && v != kNone) alone[at(v)] = false;
  }
  return alone;
}

std::vector<bool> needed_values(const StageSpec& spec) {
  const auto& insts = spec.body->insts;
  std::vector<bool> needed(insts.size(), false), given(insts.size(), false);
  for (const StageOutput& out : spec.outputs) needed[at(out.value)] = true;
  for (const StageFold& fold : spec.folds) needed[at(fold.value)] = true;
  for (const StageScan& scan : spec.scans) needed[at(scan.value)] = true;
  if (spec.outer != nullptr)
    for (const OuterFold& fold : spec.outer->folds) needed[at(fold.value)] = true;
  if (spec.repeat != nullptr) {
    needed[at(spec.repeat->more)] = true;
    for (const plan::Repeat::Carried& c : spec.repeat->carried)
      needed[at(c.value)] = needed[at(c.next)] = true;
  }
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
  const std::vector<std::optional<EvenValue>> even = even_values(spec);
  for (std::size_t i = insts.size(); i-- > 0;) {
    if (!needed[i] || given[i] || insts[i].pull == Pull::kScanned) continue;
    if (even[i]) {
      for (const std::int32_t v : {even[i]->start, even[i]->stride})
        if (v != kNone) needed[at(v)] = true;
      continue;
    }
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
