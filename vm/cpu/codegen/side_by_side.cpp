#include "vm/cpu/codegen/side_by_side.h"

#include <algorithm>

#include "bytecode/base/at.h"
#include "vm/cpu/routines.h"

namespace nvm::vm::cpu {

namespace {

using soac::BodyInst;
using soac::Pull;

// Cycles until the result of an operation is there, roughly; of elementary functions none, which are called.
int latency(Scalar scalar, Type of) {
  switch (scalar) {
    case Scalar::kDiv:
    case Scalar::kRem: return of == Type::kInt ? 26 : 14;
    case Scalar::kMul: return of == Type::kInt ? 10 : 4;
    case Scalar::kSqrt: return 18;
    case Scalar::kFloor:
    case Scalar::kCeil:
    case Scalar::kTrunc:
    case Scalar::kRound: return 12;
    default: return of == Type::kFloat ? 4 : 2;
  }
}

bool is_called(Scalar scalar) {
  switch (scalar) {
#define ELEMENTARY(id, name) case Scalar::id:
#include "vm/simd/elementary.def"
    return true;
    default: return false;
  }
}

bool loops_plainly(const StageSpec& spec) {
  return spec.packs.empty() && spec.scans.empty() && spec.segments.empty() && spec.outer == nullptr &&
         spec.repeat == nullptr && !spec.striped;
}

// Is it looked up, and no load?
bool is_gathered(const StageSpec& spec, std::size_t value) {
  const Pull pull = spec.body->insts[value].pull;
  if (pull != Pull::kGather && pull != Pull::kSegGather) return pull == Pull::kSegPlace;
  const auto& loads = spec.straight.gathers;
  return std::find(loads.begin(), loads.end(), static_cast<std::int32_t>(value)) == loads.end();
}

// The most values of an iteration that are in registers at a time, without those that are the same for all.
std::size_t most_live(const StageSpec& spec, const std::vector<bool>& needed) {
  const auto& insts = spec.body->insts;
  std::vector<std::size_t> last(insts.size());
  for (std::size_t i = 0; i < insts.size(); ++i)
    for (const std::int32_t v : {insts[i].a, insts[i].b, insts[i].c})
      if (needed[i] && v != soac::kNone) last[at(v)] = i;
  for (const StageOutput& out : spec.outputs) last[at(out.value)] = insts.size();
  for (const StageFold& fold : spec.folds) last[at(fold.value)] = insts.size();
  std::vector<std::size_t> ends(insts.size() + 1);
  std::size_t live = 0, most = 1;
  for (std::size_t i = 0; i < insts.size(); ++i) {
    const bool everywhere = insts[i].pull == Pull::kConst || insts[i].pull == Pull::kUniform;
    if (!needed[i] || everywhere) continue;
    most = std::max(most, ++live);
    ++ends[std::max(last[i], i)];
    live -= ends[i];
  }
  return most;
}

}  // namespace

std::size_t vectors_side_by_side(const StageSpec& spec, const std::vector<bool>& needed, Isa isa) {
  constexpr int kLongChain = 60;           // cycles; of shorter ones several iterations are seen at once
  constexpr std::size_t kMostSize = 1600;  // instructions of the body, times vectors
  if (!loops_plainly(spec)) return 1;
  const auto& insts = spec.body->insts;
  std::vector<int> there(insts.size());  // cycles from the beginning of an iteration
  std::size_t size = 0;
  int longest = 0;
  for (std::size_t i = 0; i < insts.size(); ++i) {
    const BodyInst& in = insts[i];
    if (!needed[i]) continue;
    if (is_gathered(spec, i)) return 1;
    if (in.pull != Pull::kApply) continue;
    if (is_called(in.scalar)) return 1;
    ++size;
    for (const std::int32_t v : {in.a, in.b, in.c})
      if (v != soac::kNone) there[i] = std::max(there[i], there[at(v)]);
    there[i] += latency(in.scalar, insts[at(in.a)].type);
    longest = std::max(longest, there[i]);
  }
  if (longest < kLongChain) return 1;
  // What does not fit in registers is read again while others are computed, to some degree.
  const std::size_t registers = isa == Isa::kAvx512 ? 32 : 16;
  const std::size_t fits = std::min(2 * registers / most_live(spec, needed), kMostSize / size);
  return std::clamp(fits, std::size_t{1}, registers / 4);
}

}  // namespace nvm::vm::cpu
