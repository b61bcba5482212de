#include "vm/cpu/codegen/side_by_side.h"

#include <algorithm>

#include "vm/cpu/routines.h"

namespace nvm::vm::cpu {

namespace {

using soac::BodyInst;
using soac::Pull;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

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

}  // namespace

std::size_t vectors_side_by_side(const StageSpec& spec, const std::vector<bool>& needed, Isa isa) {
  constexpr int kLongChain = 60;          // cycles; of shorter ones several iterations are seen at once
  constexpr std::size_t kMostSize = 600;  // instructions of the body, times vectors
  if (!loops_plainly(spec)) return 1;
  const auto& insts = spec.body->insts;
  std::vector<int> there(insts.size());  // cycles from the beginning of an iteration
  std::size_t size = 0;
  int longest = 0;
  for (std::size_t i = 0; i < insts.size(); ++i) {
    const BodyInst& in = insts[i];
    if (!needed[i]) continue;
    if (in.pull == Pull::kGather || in.pull == Pull::kSegGather || in.pull == Pull::kSegPlace) return 1;
    if (in.pull != Pull::kApply) continue;
    if (is_called(in.scalar)) return 1;
    ++size;
    for (const std::int32_t v : {in.a, in.b, in.c})
      if (v != soac::kNone) there[i] = std::max(there[i], there[at(v)]);
    there[i] += latency(in.scalar, insts[at(in.a)].type);
    longest = std::max(longest, there[i]);
  }
  if (longest < kLongChain) return 1;
  const std::size_t most = isa == Isa::kAvx512 ? 4 : 2;
  return std::clamp(kMostSize / size, std::size_t{1}, most);
}

void jump_unless_words(x86::Compiler& cc, StageFrame& frame, const StageSpec& spec,
                       const std::vector<bool>& needed, const asmjit::Label& to) {
  const x86::Gp number = cc.newInt64(), word = cc.newInt64();
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const BodyInst& in = spec.body->insts[i];
    if (!needed[i] || in.pull != Pull::kUniform || in.type != Type::kInt) continue;
    cc.mov(number, frame.cell({SlotKind::kUniform, in.var}));
    cc.movsxd(word, number.r32());
    cc.cmp(word, number);
    cc.jne(to);
  }
}

}  // namespace nvm::vm::cpu
