#include "vm/cpu/codegen/narrow_lanes.h"

#include <algorithm>
#include <cstddef>

#include "bytecode/base/at.h"
#include "bytecode/plan/value_ranges.h"

namespace nvm::vm::cpu {

namespace {

using asmjit::imm;
using soac::BodyInst;
using soac::kNone;
using soac::Pull;

// All that cannot trap have one, but for shifts, where each lane has its own, and for products of bytes.
bool has_instruction(Scalar scalar, Type operand, int bytes) {
  if (scalar == Scalar::kMul) return bytes > 1;
  return scalar != Scalar::kShl && scalar != Scalar::kShr && !scalar_traps(scalar, operand);
}

// Is it given by an earlier routine, or loaded? Then nothing but the flag of a load is computed for it.
const StageInput* given(const StageSpec& spec, std::size_t v) {
  const auto it = std::find_if(spec.inputs.begin(), spec.inputs.end(),
                               [v](const StageInput& in) { return at(in.value) == v; });
  return it == spec.inputs.end() ? nullptr : &*it;
}
bool is_load(const StageSpec& spec, std::size_t v) {
  const auto& loads = spec.straight.gathers;
  return std::find(loads.begin(), loads.end(), static_cast<std::int32_t>(v)) != loads.end();
}

// Bytes and words are packed by processors that have AVX512_VBMI2.
bool packs_in_lanes(Isa isa, int bytes) {
  if (isa != Isa::kAvx512) return false;
  return bytes == 4 || asmjit::CpuInfo::host().hasFeature(asmjit::CpuFeatures::X86::kAVX512_VBMI2);
}

// Which values may be computed in lanes of `bytes`.
std::vector<bool> find_fitting(const StageSpec& spec, const std::vector<bool>& needed, int bytes) {
  const auto& insts = spec.body->insts;
  const Range lane = all_ints(8 * bytes);
  const auto ranges = plan::value_ranges(*spec.body, *spec.vars, spec.int_bits, std::int64_t{1} << 31, lane);
  std::vector<bool> fitting(insts.size());
  const auto fits = [&](std::int32_t v) { return v == kNone || fitting[at(v)]; };
  const auto holds = [bytes](Storage storage) {
    return storage != Storage::kF64 && static_cast<int>(storage_bytes(storage)) <= bytes;
  };
  for (std::size_t i = 0; i < insts.size(); ++i) {
    const BodyInst& in = insts[i];
    if (!needed[i] || in.type == Type::kFloat) continue;
    const bool fits_lane = in.type == Type::kBool || ranges[i].inside(lane);
    if (const StageInput* input = given(spec, i)) {
      fitting[i] = holds(input->storage);
      continue;
    }
    switch (in.pull) {
      case Pull::kUniform: fitting[i] = true; break;
      case Pull::kConst: fitting[i] = fits_lane; break;
      case Pull::kIndex: fitting[i] = bytes == 4; break;
      case Pull::kApply:
        fitting[i] = has_instruction(in.scalar, insts[at(in.a)].type, bytes) && fits(in.a) && fits(in.b) &&
                     fits(in.c) && fits_lane;
        break;
      case Pull::kElement: fitting[i] = holds((*spec.vars)[at(in.var)].storage); break;
      default: fitting[i] = in.b == kNone && is_load(spec, i) && holds((*spec.vars)[at(in.var)].storage);
    }
  }
  return fitting;
}

class Planner {
 public:
  Planner(const StageSpec& spec, const std::vector<bool>& needed, Isa isa, int bytes, int wide_bytes)
      : spec_(spec),
        insts_(spec.body->insts),
        needed_(needed),
        isa_(isa),
        fits_(find_fitting(spec, needed, bytes)),
        fits_wide_(find_fitting(spec, needed, wide_bytes)) {
    plan_.bytes = bytes;
    plan_.wide_bytes = wide_bytes;
    plan_.narrow = plan_.wide = plan_.crossing = std::vector<bool>(insts_.size());
    for (const StageOutput& out : spec.outputs) add(out);
    for (const StageFold& fold : spec.folds) add(fold);
    for (const StagePack& pack : spec.packs) add(pack);
    spread();
    const bool only_packs = !has(plan_.counts, false) && !has(plan_.outputs, false);
    plan_.all_narrow = only_packs && !has(plan_.packs, false);
    plan_.skips = only_packs && !spec.packs.empty() &&
                  std::all_of(spec.packs.begin(), spec.packs.end(),
                              [this](const StagePack& p) { return fits_[at(p.flag)]; });
  }

  [[nodiscard]] const NarrowPlan& plan() const { return plan_; }
  // Can wide lanes do what is asked of them?
  [[nodiscard]] bool valid() const {
    if (plan_.wide_bytes == 8) return true;
    if (isa_ != Isa::kAvx512 && has(plan_.packs, false)) return false;
    for (std::size_t k = 0; k < spec_.outputs.size(); ++k)
      if (!plan_.outputs[k] && spec_.outputs[k].storage == Storage::kF64) return false;
    for (const StagePack& pack : spec_.packs)
      if (pack.value != kNone && storage_bytes(pack.storage) > 4) return false;
    for (std::size_t i = 0; i < insts_.size(); ++i)
      if (plan_.wide[i] && !fits_wide_[i]) return false;
    return !has(plan_.counts, false);
  }
  // Instructions for the elements of a narrow vector, and by ordinary lanes alone.
  [[nodiscard]] int cost() const {
    int narrow = 0, part = 0;
    for (std::size_t i = 0; i < insts_.size(); ++i) {
      if (is_everywhere(i)) continue;
      narrow += plan_.narrow[i] ? 1 : 0;
      part += (plan_.wide[i] ? 1 : 0) + (plan_.crossing[i] ? 2 : 0);
    }
    for (std::size_t k = 0; k < spec_.outputs.size(); ++k) {
      const int bytes = plan_.outputs[k] ? plan_.bytes : plan_.wide_bytes;
      const int stores = std::max(1, static_cast<int>(storage_bytes(spec_.outputs[k].storage)) / bytes);
      (plan_.outputs[k] ? narrow : part) += stores == 1 ? 1 : 2 * stores;
    }
    for (const bool packs : plan_.packs) (packs ? narrow : part) += kPack;
    for (const bool counts : plan_.counts) (counts ? narrow : part) += counts ? 3 : 1;
    return narrow + plan_.parts() * part;
  }
  [[nodiscard]] int cost_without() const {
    int each = static_cast<int>(spec_.outputs.size() + spec_.folds.size() + kPack * spec_.packs.size());
    for (std::size_t i = 0; i < insts_.size(); ++i) each += needed_[i] && !is_everywhere(i) ? 1 : 0;
    return 8 / plan_.bytes * each;
  }

 private:
  static constexpr int kPack = 4;  // instructions

  [[nodiscard]] static bool has(const std::vector<bool>& flags, bool value) {
    return std::find(flags.begin(), flags.end(), value) != flags.end();
  }
  [[nodiscard]] bool is_everywhere(std::size_t i) const {
    return insts_[i].pull == Pull::kConst || insts_[i].pull == Pull::kUniform;
  }
  void in_narrow_lanes(std::int32_t v) { plan_.narrow[at(v)] = true; }
  void cross(std::int32_t v) { plan_.narrow[at(v)] = plan_.crossing[at(v)] = true; }
  // What is loaded or the same everywhere is so for them, too.
  void in_wide_lanes(std::int32_t v) {
    fits_[at(v)] && insts_[at(v)].pull == Pull::kApply ? cross(v)
                                                       : static_cast<void>(plan_.wide[at(v)] = true);
  }
  // And what that is computed from, which stands in front of it.
  void spread() {
    for (auto v = static_cast<std::int32_t>(insts_.size()); v-- > 0;) {
      if (plan_.narrow[at(v)]) for_each_argument(v, [this](std::int32_t a) { in_narrow_lanes(a); });
      if (plan_.wide[at(v)]) for_each_argument(v, [this](std::int32_t a) { in_wide_lanes(a); });
    }
  }
  // Of what is computed; what is given has none, and loads have a flag alone.
  template <typename F>
  void for_each_argument(std::int32_t v, F f) const {
    const BodyInst& in = insts_[at(v)];
    if (given(spec_, at(v)) != nullptr) return;
    const bool loaded = is_load(spec_, at(v));
    for (const std::int32_t a : {loaded ? kNone : in.a, in.b, loaded ? kNone : in.c})
      if (a != kNone) f(a);
  }

  void add(const StageOutput& out) {
    const bool narrow = fits_[at(out.value)] && out.storage != Storage::kF64;
    plan_.outputs.push_back(narrow);
    narrow ? in_narrow_lanes(out.value) : in_wide_lanes(out.value);
  }
  void add(const StageFold& fold) {
    const BodyInst& in = insts_[at(fold.value)];
    const bool counts = fold.op == Scalar::kAdd && fold.cell == Storage::kI64 && in.pull == Pull::kApply &&
                        in.scalar == Scalar::kBtoI && fits_[at(in.a)];
    plan_.counts.push_back(counts);
    counts ? in_narrow_lanes(in.a) : in_wide_lanes(fold.value);
  }
  void add(const StagePack& pack) {
    const bool flagged = fits_[at(pack.flag)];
    const bool counts = pack.value == kNone;
    const bool narrow = flagged && (counts || (fits_[at(pack.value)] && packs_in_lanes(isa_, plan_.bytes) &&
                                               static_cast<int>(storage_bytes(pack.storage)) == plan_.bytes));
    plan_.packs.push_back(narrow);
    if (!flagged)
      in_wide_lanes(pack.flag);
    else
      narrow ? in_narrow_lanes(pack.flag) : cross(pack.flag);
    if (!counts) narrow ? in_narrow_lanes(pack.value) : in_wide_lanes(pack.value);
  }

  const StageSpec& spec_;
  const std::vector<BodyInst>& insts_;
  const std::vector<bool>& needed_;
  Isa isa_;
  NarrowPlan plan_;
  std::vector<bool> fits_, fits_wide_;
};

bool loops_plainly(const StageSpec& spec) {
  return spec.scans.empty() && spec.segments.empty() && spec.outer == nullptr && spec.repeat == nullptr &&
         !spec.striped && spec.int_bits == IntBits::k64;
}

}  // namespace

std::optional<NarrowPlan> narrow_plan(const StageSpec& spec, const std::vector<bool>& needed, Isa isa) {
  std::optional<NarrowPlan> best;
  if (!loops_plainly(spec) || !spec.strided.empty()) return best;
  double least = 0.75;  // of the instructions without
  for (const int bytes : {1, 2, 4}) {
    for (const int wide_bytes : {4, 8}) {
      if (wide_bytes <= bytes) continue;
      const Planner planner(spec, needed, isa, bytes, wide_bytes);
      const double part = static_cast<double>(planner.cost()) / planner.cost_without();
      if (part >= least || !planner.valid()) continue;
      least = part;
      best = planner.plan();
    }
  }
  return best;
}

void jump_unless_fit(x86::Compiler& cc, StageFrame& frame, const StageSpec& spec,
                     const std::vector<bool>& used, int bytes, const asmjit::Label& to) {
  const x86::Gp number = cc.newInt64(), low = cc.newInt64();
  for (std::size_t i = 0; i < used.size(); ++i) {
    const BodyInst& in = spec.body->insts[i];
    if (!used[i] || in.type != Type::kInt) continue;
    if (in.pull == Pull::kUniform) {
      cc.mov(number, frame.cell({SlotKind::kUniform, in.var}));
    } else if (in.pull == Pull::kIndex) {
      cc.mov(number, frame.field(offsetof(StageArgs, index)));
      cc.add(number, frame.n());
    } else {
      continue;
    }
    if (bytes == 4)
      cc.movsxd(low, number.r32());
    else
      bytes == 2 ? cc.movsx(low, number.r16()) : cc.movsx(low, number.r8());
    cc.cmp(low, number);
    cc.jne(to);
  }
}

Crossing::Crossing(Lanes& wide, const Lane& narrow, int bytes) : to_(wide), narrow_(narrow), bytes_(bytes) {
  if (narrow.k.isValid()) return;
  x86::Compiler& cc = wide.cc();
  const bool long_vectors = wide.isa() == Isa::kAvx512;
  cells_ = cc.newStack(long_vectors ? 64 : 32, 64);
  long_vectors ? cc.vmovdqu64(cells_, narrow.v) : cc.vmovdqu(cells_, narrow.v);
}

Lane Crossing::part(int number) const {
  if (!narrow_.k.isValid()) {
    const x86::Mem from = cells_.cloneAdjusted(number * to_.count() * bytes_);
    return {narrow_.type, load_widened(to_, bytes_, from).v, {}};
  }
  const x86::KReg k = to_.cc().newKq();
  const auto bits = imm(number * to_.count());
  if (bytes_ == 1)
    to_.cc().kshiftrq(k, narrow_.k, bits);
  else
    bytes_ == 2 ? to_.cc().kshiftrd(k, narrow_.k, bits) : to_.cc().kshiftrw(k, narrow_.k, bits);
  return {Type::kBool, {}, k};
}

}  // namespace nvm::vm::cpu
