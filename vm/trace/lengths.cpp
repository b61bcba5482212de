// What a line knows of lengths: which numbers they are, and which descriptors have them.
#include <algorithm>
#include <variant>

#include "vm/interp/work.h"
#include "vm/trace/recorder.h"

namespace nvm::vm {

using soac::DescForm;
using soac::kNone;
using soac::LengthId;
using soac::Var;
using soac::VarId;
using soac::VarRole;

namespace {

using DeferredRef = std::shared_ptr<Deferred>;

}  // namespace

// Of as many lengths of one number each, the sum: known without adding up.
bool Recorder::record_known_sum(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                                std::span<Value> results) {
  const auto* x = std::get_if<DeferredRef>(&operands[0]);
  const auto* segments = std::get_if<Segdes>(&operands[1]);
  if (x == nullptr || segments == nullptr || segments->segments() != 1) return false;
  const LengthId length = var((*x)->var()).length;
  if (now_.lengths[static_cast<std::size_t>(length)] != segments->total()) return false;
  const std::optional<std::int64_t> same = each_[static_cast<std::size_t>((*x)->var())];
  std::int64_t sum = 0;
  if (!same || __builtin_mul_overflow(*same, segments->total(), &sum)) return false;
  if (bits_ == IntBits::k32 && sum != static_cast<std::int32_t>(sum)) return false;
  knowable_ = false;
  results[0] = Vector::of_int(sum);
  charges_.add(inst, site, length);
  return true;
}

// LENGTH of a known length is a number; MAKE_SEGDES of the lengths of a descriptor is that descriptor, and
// that of one length again and again is two numbers.
bool Recorder::record_shape_op(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                               std::span<Value> results) {
  const VarId x = std::get<DeferredRef>(operands[0])->var();
  if (const auto same = each_[static_cast<std::size_t>(x)]; inst.op == Op::kMakeSegdes && same) {
    const std::int64_t n = now_.lengths[static_cast<std::size_t>(var(x).length)];
    if (n > 0 && length_of_all(n, *same) < too_long(bits_)) {  // more is for the primitive to refuse
      knowable_ = false;
      results[0] = Segdes::regular(n, *same);
      charges_.add(inst, site, var(x).length);
      return true;
    }
  }
  const bool counts = inst.op == Op::kLength;
  const bool one = inst.op == Op::kLengths && var(x).form == DescForm::kOneSegment;
  if (const LengthId n = one ? var(x).total : var(x).length;
      (counts || one) && now_.lengths[static_cast<std::size_t>(n)] >= 0) {
    results[0] = Vector::of_int(now_.lengths[static_cast<std::size_t>(n)]);
    charges_.add(inst, site, 0);
    note_step({.inst = &inst, .kind = TraceStep::Kind::kNumber, .operands = {x}, .number = n, .charged = 0});
    return true;
  }
  if (inst.op != Op::kMakeSegdes) return false;
  VarId desc = lengths_of_[static_cast<std::size_t>(x)];
  if (desc == kNone && length_of_[static_cast<std::size_t>(x)] != kNone) {
    Var v;
    v.role = VarRole::kTemp;
    v.is_desc = true;
    v.length = 0;
    v.total = length_of_[static_cast<std::size_t>(x)];
    v.form = DescForm::kOneSegment;
    desc = new_var(v);
  }
  if (desc == kNone) return false;
  results[0] = promise(desc);
  charges_.add(inst, site, var(x).length);
  note_step({.inst = &inst,
             .kind = TraceStep::Kind::kNamed,
             .operands = {x},
             .results = {desc},
             .charged = var(x).length});
  return true;
}

// Whose lengths a vector has, and whose number of elements is their sum.
void Recorder::note_lengths(const soac::RegionInst& in) {
  const auto sums = [&](const soac::RegionInst& reduce, VarId lengths) {
    return reduce.op == Op::kAddReduce && reduce.word == TypeWord::kInt && reduce.operands[0] == lengths &&
           bits_ == IntBits::k64 && var(reduce.operands[1]).form == DescForm::kOneSegment;
  };
  const VarId x = in.operands[0];
  if (in.op == Op::kMakeSegdes) {
    lengths_of_[static_cast<std::size_t>(x)] = in.results[0];
    for (const soac::RegionInst& earlier : now_.region.insts)
      if (sums(earlier, x))
        length_of_[static_cast<std::size_t>(earlier.results[0])] = var(in.results[0]).total;
  }
  const VarId desc = lengths_of_[static_cast<std::size_t>(x)];
  if (desc != kNone && sums(in, x)) length_of_[static_cast<std::size_t>(in.results[0])] = var(desc).total;
}

bool Recorder::describes(const Value& lengths) const {
  if (!limits_.primitives) return false;
  if (const auto* v = std::get_if<Vector>(&lengths))
    return on_device(*v) && v->length() >= limits_.min_elements;
  const std::int64_t n =
      now_.lengths[static_cast<std::size_t>(var(std::get<DeferredRef>(lengths)->var()).length)];
  return n < 0 || n >= limits_.min_elements;
}

// On so many elements as the longest argument has, promised or not, as far as that is known. A device's
// engine takes what it can, and who passes conditionals on trust may come back into a call.
CallWay Recorder::call_begins(ssa::FunctionId function, std::span<const Value> arguments,
                              std::int64_t depth) {
  if (limits_.scatters || limits_.guard_after > 0) return CallWay::kRecorded;
  const auto promised = [&](VarId x) {
    if (traces_.followed() != nullptr) return traces_.length_of(x);
    return now_.lengths[static_cast<std::size_t>(var(x).is_desc ? var(x).total : var(x).length)];
  };
  std::int64_t elements = 0;
  for (const Value& argument : arguments) {
    const auto* d = std::get_if<DeferredRef>(&argument);
    elements = std::max(elements, d == nullptr       ? elements_of(argument)
                                  : (*d)->computed() ? elements_of((*d)->value())
                                                     : promised((*d)->var()));
  }
  return elements < limits_.min_elements ? CallWay::kRecorded
                                         : executor_.call_begins(function, elements, depth);
}

}  // namespace nvm::vm
