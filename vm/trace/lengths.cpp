// What a line knows of lengths: which numbers they are, and which descriptors have them.
#include <variant>

#include "vm/trace/recorder.h"

namespace nvm::vm {

using soac::DescForm;
using soac::kNone;
using soac::Var;
using soac::VarId;
using soac::VarRole;

namespace {

using DeferredRef = std::shared_ptr<Deferred>;

}  // namespace

// LENGTH of a known length is a number; MAKE_SEGDES of the lengths of a descriptor is that descriptor.
bool Recorder::record_shape_op(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                               std::span<Value> results) {
  const VarId x = std::get<DeferredRef>(operands[0])->var();
  if (inst.op == Op::kLength && now_.lengths[static_cast<std::size_t>(var(x).length)] >= 0) {
    results[0] = Vector::of_int(now_.lengths[static_cast<std::size_t>(var(x).length)]);
    note_work(inst, site, 0);
    return true;
  }
  if (inst.op == Op::kLengths && var(x).form == DescForm::kOneSegment &&
      now_.lengths[static_cast<std::size_t>(var(x).total)] >= 0) {
    results[0] = Vector::of_int(now_.lengths[static_cast<std::size_t>(var(x).total)]);
    note_work(inst, site, 1);
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
  note_work(inst, site, var(x).length);
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
  const std::int64_t n =
      now_.lengths[static_cast<std::size_t>(var(std::get<DeferredRef>(lengths)->var()).length)];
  return limits_.primitives && (n < 0 || n >= limits_.min_elements);
}

}  // namespace nvm::vm
