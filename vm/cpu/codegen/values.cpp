#include "vm/cpu/codegen/values.h"

#include <cstddef>

#include "bytecode/base/at.h"
#include "bytecode/base/check.h"

namespace nvm::vm::cpu {

using soac::BodyInst;
using soac::kNone;
using soac::Pull;

namespace {

bool counts(const BodyInst& in) { return in.pull == Pull::kIndex || in.pull == Pull::kWithin; }

// Is a vector of such elements a whole cache line?
bool fills_line(const Lanes& lanes, Storage storage) {
  return storage_bytes(storage) * static_cast<std::size_t>(lanes.count()) == 64;
}

}  // namespace

StageValues::StageValues(x86::Compiler& cc, Isa isa, const StageSpec& spec, StageFrame& frame)
    : cc_(cc),
      spec_(spec),
      frame_(frame),
      lanes_(make_lanes(cc, isa, spec.int_bits)),
      gathers_(*lanes_, frame_, spec),
      scans_(*lanes_, spec.scans, spec.striped),
      stripes_(*lanes_, frame_, spec),
      strided_(*lanes_, frame_, spec),
      reciprocals_(*lanes_, spec),
      needed_(needed_values(spec)),
      values_(spec.body->insts.size()),
      straight_(spec.body->insts.size()),
      input_of_(spec.body->insts.size(), nullptr) {
  for (const StageInput& in : spec.inputs) input_of_[at(in.value)] = &in;
  for (const std::int32_t g : spec.straight.gathers) straight_[at(g)] = true;
  if (spec.outer != nullptr) outer_.emplace(*lanes_, frame_, spec, needed_);
}

bool StageValues::traps() const {
  if (spec_.repeat != nullptr) return true;  // who goes round too often
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (needed_[i] && input_of_[i] == nullptr && !straight_[i] && soac::may_trap(*spec_.body, i)) return true;
  return false;
}

// Is some needed value gathered, and not near the others? Does an iteration compute much?
void StageValues::prepare() {
  constexpr int kMany = 24;
  int count = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!needed_[i] || input_of_[i] != nullptr) continue;
    const BodyInst& in = spec_.body->insts[i];
    const bool by_index = in.pull == Pull::kGather || in.pull == Pull::kSegGather;
    scatters_ |= by_index && !straight_[i] && gathers_.scatters(i);
    computes_ |= in.pull == Pull::kApply && ++count >= kMany;
  }
  prepare_divisions();
}

void StageValues::prepare_divisions() {
  std::vector<bool> computed = needed_;
  for (const StageInput& in : spec_.inputs) computed[at(in.value)] = false;
  reciprocals_.prepare(computed, [&](std::size_t i) -> std::optional<x86::Mem> {
    const BodyInst& in = spec_.body->insts[i];
    if (in.pull != Pull::kUniform || spec_.repeat != nullptr) return std::nullopt;  // it may be carried
    return frame_.cell({SlotKind::kUniform, in.var});
  });
}

void StageValues::hoist() {
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (needed_[i] && input_of_[i] == nullptr) hoist(i);
  for (const StageInput& in : spec_.inputs)
    if (needed_[at(in.value)]) static_cast<void>(frame_.pointer(scratch_slot(in.scratch, in.storage)));
}

StageValues::Other StageValues::hoist_in(std::unique_ptr<Lanes> lanes, const std::vector<bool>& values) {
  Other other{std::move(lanes), std::vector<Lane>(values_.size())};
  in(other, [&] {
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values[i] && input_of_[i] == nullptr) hoist(i);
  });
  return other;
}

void StageValues::hoist(std::size_t i) {
  const BodyInst& in = spec_.body->insts[i];
  const bool everywhere = in.pull == Pull::kGather || in.pull == Pull::kConst || in.pull == Pull::kUniform;
  if (outer_ && !everywhere) return outer_->hoist(i);
  switch (in.pull) {
    case Pull::kConst: values_[i] = constant(in); return;
    case Pull::kUniform:
      values_[i] = lanes_->broadcast(in.type, frame_.cell({SlotKind::kUniform, in.var}));
      return;
    case Pull::kIndex: values_[i] = first_index(); return;
    case Pull::kWithin: values_[i] = lanes_->count_up(frame_.cell({SlotKind::kInRow, 0})); return;
    case Pull::kPerSegment:
    case Pull::kSegment:
      values_[i] = lanes_->broadcast(in.type, frame_.cell({SlotKind::kOfRow, static_cast<std::int32_t>(i)}));
      return;
    case Pull::kElement:
      static_cast<void>(frame_.pointer(element_slot(in.var)));
      if (spec_.striped) stripes_.hoist(in.var, element_slot(in.var));
      return;
    case Pull::kGather:
    case Pull::kSegGather:
    case Pull::kSegPlace:
      if (!straight_[i]) return gathers_.hoist(i);
      return strided_.has(i) ? strided_.hoist(i) : static_cast<void>(frame_.pointer(straight_slot(i)));
    default: return;
  }
}

Lane StageValues::first_index() {
  const x86::Mem index = frame_.field(offsetof(StageArgs, index));
  if (!spec_.striped) return lanes_->count_up(index);
  const Lane stride = lanes_->broadcast(Type::kInt, frame_.field(offsetof(StageArgs, stride)));
  return lanes_->add_int(lanes_->broadcast(Type::kInt, index),
                         lanes_->mul_int(stride, lanes_->lane_numbers()));
}

Lane StageValues::constant(const BodyInst& in) {
  if (in.type == Type::kFloat) return lanes_->constant_float(in.real);
  return in.type == Type::kBool ? lanes_->constant_bool(in.imm != 0) : lanes_->constant_int(in.imm);
}

void StageValues::emit(std::size_t i) {
  if (input_of_[i] != nullptr) {
    const StageInput& in = *input_of_[i];
    if (needed_[i])
      values_[i] = lanes_->load(in.storage, element(scratch_slot(in.scratch, in.storage), in.storage));
    return;
  }
  if (!needed_[i]) return;
  const BodyInst& in = spec_.body->insts[i];
  switch (in.pull) {
    case Pull::kElement: {
      const Storage storage = var(in.var).storage;
      const x86::Mem from = element(element_slot(in.var), storage);
      if (scatters_ || (computes_ && fills_line(*lanes_, storage))) ask_ahead(from, storage_bytes(storage));
      values_[i] = lanes_->load(storage, from);
      return;
    }
    case Pull::kGather:
    case Pull::kSegGather: values_[i] = straight_[i] ? straight(i, in) : gathers_.emit(i, values_); return;
    case Pull::kSegPlace: values_[i] = gathers_.place(i, values_); return;
    case Pull::kCheck: values_[i] = values_[at(in.a)]; return lanes_->trap_where(values_[i]);
    case Pull::kApply: {
      if (reciprocals_.has(i)) {
        values_[i] = reciprocals_.emit(i, values_);
        return;
      }
      const Lane args[3] = {operand(in.a), operand(in.b), operand(in.c)};
      values_[i] = emit_scalar(*lanes_, in.scalar, args);
      return;
    }
    case Pull::kScanned: values_[i] = scanned(in); return;
    case Pull::kConst:
    case Pull::kUniform: return;  // hoisted
    case Pull::kIndex:
    case Pull::kWithin:
      if (ahead_ != 0) values_[i] = lanes_->add_int(values_[i], lanes_->constant_int(ahead_));
      if (in.pull == Pull::kIndex) return;
      [[fallthrough]];
    case Pull::kPerSegment:
    case Pull::kSegment:  // hoisted, as it is given otherwise
      NVM_CHECK(spec_.row == in.desc, "a per-segment pull that the kernel should have provided");
      return;
    default: NVM_CHECK(false, "a pull that the kernel should have provided");
  }
}

// Beside gathers from memory the processor does not see in time that vectors are read in order; where there
// is much to compute, too few iterations are under way to wait for memory side by side.
void StageValues::ask_ahead(x86::Mem from, std::size_t bytes) {
  constexpr std::size_t kAhead = 256;  // elements
  from.addOffset(static_cast<std::int64_t>(kAhead * bytes));
  cc_.prefetcht0(from);
}

Lane StageValues::scanned(const BodyInst& in) {
  for (std::size_t k = 0; k < spec_.scans.size(); ++k)
    if (spec_.scans[k].sink == in.a) return scans_.step(k, values_[at(spec_.scans[k].value)]);
  NVM_CHECK(false, "a scan that the kernel should have provided");
  return {};
}

Slot StageValues::straight_slot(std::size_t i) const {
  const auto bytes = static_cast<std::int32_t>(storage_bytes(var(spec_.body->insts[i].var).storage));
  return {SlotKind::kStraight, static_cast<std::int32_t>(i), bytes};
}

// A gather over a stretch: the elements stand side by side, or evenly apart.
Lane StageValues::straight(std::size_t i, const BodyInst& in) {
  const Storage storage = var(in.var).storage;
  const Lane all =
      strided_.has(i) ? strided_.load(i, ahead_) : lanes_->load(storage, element(straight_slot(i), storage));
  if (in.b == kNone) return all;
  const Lane zero = in.type == Type::kFloat  ? lanes_->constant_float(0.0)
                    : in.type == Type::kBool ? lanes_->constant_bool(false)
                                             : lanes_->constant_int(0);
  return lanes_->select(values_[at(in.b)], all, zero);
}

Slot StageValues::element_slot(std::int32_t v) const {
  return {SlotKind::kElement, v, static_cast<std::int32_t>(storage_bytes(var(v).storage))};
}

x86::Mem StageValues::element(const Slot& slot, Storage storage) {
  x86::Mem at = frame_.element(slot, storage);
  at.addOffset(ahead_ * static_cast<std::int64_t>(storage_bytes(storage)));
  return at;
}

void StageValues::step_index(std::int32_t by) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const x86::Vec v = values_[i].v;
    if (!needed_[i] || input_of_[i] != nullptr || !counts(spec_.body->insts[i]) || !v.isValid()) continue;
    const Lane step = lanes_->constant_int(by);
    lanes_->wide() ? cc_.vpaddq(v, v, step.v) : cc_.vpaddd(v, v, step.v);
  }
}

}  // namespace nvm::vm::cpu
