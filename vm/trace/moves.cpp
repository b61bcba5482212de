// Which moves of elements are recorded, and what a line relies on for them.
#include <algorithm>

#include "bytecode/soac/parting.h"
#include "vm/interp/work.h"
#include "vm/trace/recorder.h"

namespace nvm::vm {

using soac::DescForm;
using soac::VarId;

namespace {

using DeferredRef = std::shared_ptr<Deferred>;

}  // namespace

bool on_device(const Vector& x) {
  return x.buffer().get() != nullptr && remote_of(*x.buffer().get()) != nullptr;
}

namespace {

// Operands that are not written out are the interpreter's business: places known by a formula or as runs a
// stride apart, and, where nothing is spelled out, one value repeated.
// Of a PERMUTE by places that part a vector in two any engine makes a pass.
bool scatters(const Recorder::Limits& limits, const soac::Region& region, const ssa::Inst& inst,
              std::span<const Value> operands) {
  const auto* places = inst.op == Op::kPermute ? std::get_if<DeferredRef>(&operands[1]) : nullptr;
  if (!limits.scatters && (places == nullptr || !soac::parts(region, (*places)->var()))) return false;
  return std::all_of(operands.begin(), operands.end(), [&](const Value& v) {
    return (std::holds_alternative<Vector>(v) &&
            (limits.repeats != nullptr || !std::get<Vector>(v).is_repeated())) ||
           std::holds_alternative<Segdes>(v) || std::holds_alternative<DeferredRef>(v);
  });
}

// Of a vector that the host has, a few elements are replaced where they are.
bool replaces(const Recorder::Limits& limits, std::span<const Value> operands) {
  if (!limits.scatters) return false;
  const auto* v = std::get_if<Vector>(&operands[0]);
  const bool at_home = v != nullptr && !on_device(*v);
  return !at_home || elements_of(operands[2]) >= limits.min_elements;
}

}  // namespace

std::optional<RegionStop> Recorder::refuses(const ssa::Inst& inst, std::span<const Value> operands) const {
  const auto unless = [](bool moves) {
    return moves ? std::nullopt : std::optional<RegionStop>(RegionStop::kKind);
  };
  if (!soac::recordable(inst.op)) return RegionStop::kKind;
  switch (op_info(inst.op).kind) {
    case OpKind::kScatter: return unless(scatters(limits_, now_.region, inst, operands));
    case OpKind::kReplace: return unless(replaces(limits_, operands));
    case OpKind::kRank:
    case OpKind::kRandom: return refuses_primitive(inst, operands);
    default: return {};
  }
}

// A line goes on behind what a primitive makes; where it would not end there, the primitive may run at once.
// What RAND draws is taken when it is recorded.
std::optional<RegionStop> Recorder::refuses_primitive(const ssa::Inst& inst,
                                                      std::span<const Value> operands) const {
  if (std::none_of(operands.begin(), operands.end(),
                   [](const Value& v) { return std::holds_alternative<DeferredRef>(v); }))
    return RegionStop::kReady;
  if (!limits_.primitives) return RegionStop::kPrimitive;
  if (inst.op != Op::kRand) return {};
  const auto* d = std::get_if<DeferredRef>(&operands[0]);
  if (limits_.random == nullptr || !limits_.random->take(0)) return RegionStop::kState;
  const std::int64_t n = now_.lengths[static_cast<std::size_t>(var((*d)->var()).length)];
  return n < 0 ? std::optional<RegionStop>(RegionStop::kUncounted) : std::nullopt;
}

// The numbers that INDEX begins with and steps by. Where scatters are recorded, those of many segments, too:
// places that part segments count from 0 by 1.
void Recorder::fix_index() {
  for (const std::size_t i : {0U, 1U}) {
    const VarId x = operands_[i];
    fix(x);
    if (!limits_.scatters) continue;
    for (const soac::RegionInst& in : now_.region.insts)
      if (in.op == Op::kDist && in.results[0] == x) fix(in.operands[0]);
  }
}

// Lets the code rely on the value of an INT scalar, or of all elements of a vector, if it is one that most
// programs have there.
void Recorder::fix(VarId x) {
  const auto* v = std::get_if<Vector>(&now_.inputs[static_cast<std::size_t>(x)]);
  if (v == nullptr || v->type() != Type::kInt || v->length() == 0 || v->is_repeated()) return;
  constexpr std::int64_t kMost = 4096;  // elements looked at
  if (!v->is_scalar() && (!limits_.scatters || v->length() > kMost || on_device(*v))) return;
  const std::int64_t value = v->int_at(0);
  if (value != 0 && value != 1) return;
  for (std::int64_t i = 1; i < v->length(); ++i)
    if (v->int_at(i) != value) return;
  now_.region.vars[static_cast<std::size_t>(x)].is_fixed = true;
  now_.region.vars[static_cast<std::size_t>(x)].fixed = value;
}

// True if a combinator covers the instruction for these descriptors. One element is no vector: scans, filters
// and segments of it are left to the interpreter.
bool Recorder::forms_fit(const ssa::Inst& inst) const {
  for (const VarId x : operands_)
    if (var(x).is_desc && var(x).form != DescForm::kOneSegment && var(x).total == 0) return false;
  switch (op_info(inst.op).kind) {
    case OpKind::kExtract: return limits_.scatters || var(operands_[2]).form == DescForm::kOneSegment;
    case OpKind::kScatter:
      return limits_.scatters || std::all_of(operands_.begin(), operands_.end(), [&](VarId x) {
               return !var(x).is_desc || var(x).form == DescForm::kOneSegment;
             });
    case OpKind::kScan:
    case OpKind::kRank:
    case OpKind::kFilter: return var(operands_[0]).length != 0;
    default: return true;
  }
}

}  // namespace nvm::vm
