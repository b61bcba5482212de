// Gathers inside the loop of a stage: the index is checked, then the elements are loaded where it is inside.
#pragma once

#include <vector>

#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stage_frame.h"

namespace nvm::vm::cpu {

class GatherEmitter {
 public:
  GatherEmitter(Lanes& lanes, StageFrame& frame, const StageSpec& spec)
      : lanes_(lanes),
        frame_(frame),
        spec_(spec),
        near_(follow_index(*spec.body)),
        same_(same_in_lanes(spec)) {}

  // In front of the loop.
  void hoist(std::size_t i) {
    const soac::BodyInst& in = inst(i);
    const bool flat = in.pull == soac::Pull::kGather;
    const Slot length = flat ? Slot{SlotKind::kLength, in.var} : Slot{SlotKind::kDescTotal, in.desc2};
    if (in.var != soac::kNone) static_cast<void>(frame_.pointer({SlotKind::kBase, in.var}));
    if (const StageSegments* s = segments_of(i)) {
      static_cast<void>(frame_.pointer(scratch_slot(s->offset_scratch, int_storage())));
      static_cast<void>(frame_.pointer(scratch_slot(s->length_scratch, int_storage())));
      return;
    }
    limits_.resize(spec_.body->insts.size());
    limits_[i] = lanes_.broadcast(Type::kInt, frame_.cell(length));
  }
  [[nodiscard]] Lane emit(std::size_t i, const std::vector<Lane>& values) {
    const soac::BodyInst& in = inst(i);
    const Place found = find(i, values);
    const x86::Gp base = frame_.pointer({SlotKind::kBase, in.var});
    const Storage storage = (*spec_.vars)[static_cast<std::size_t>(in.var)].storage;
    const auto index = static_cast<std::size_t>(in.a);
    if (storage == Storage::kB8) return lanes_.gather(storage, base, found.place, found.on);
    // In a segment of its own each lane has a place of its own.
    const bool same = same_[index] && segments_of(i) == nullptr;
    if (!near_[index] && !same) return lanes_.gather(storage, base, found.place, found.on);
    return lanes_.gather_near(storage, base, found.place, found.on, same);
  }
  // kSegPlace.
  [[nodiscard]] Lane place(std::size_t i, const std::vector<Lane>& values) { return find(i, values).place; }
  // Is the index of the gather nothing that follows the iteration?
  [[nodiscard]] bool scatters(std::size_t i) const { return !near_[static_cast<std::size_t>(inst(i).a)]; }

 private:
  struct Place {
    Lane place, on;
  };
  // Traps where the index is outside the vector, or outside the segment of it that belongs to the iteration.
  [[nodiscard]] Place find(std::size_t i, const std::vector<Lane>& values) {
    const soac::BodyInst& in = inst(i);
    const StageSegments* segments = segments_of(i);
    const Lane& index = values[static_cast<std::size_t>(in.a)];
    const Lane limit = segments == nullptr ? limits_[i] : load_int(segments->length_scratch);
    // Lanes behind the end of a block read scratch that nobody has written.
    const Lane below = lanes_.below_unsigned(index, limit);
    const Lane inside = lanes_.and_bool(below, lanes_.active());
    const Lane place =
        segments == nullptr ? index : lanes_.add_int(load_int(segments->offset_scratch), index);
    if (in.b == soac::kNone) {
      lanes_.trap_unless(below);
      return {place, inside};
    }
    const Lane& wanted = values[static_cast<std::size_t>(in.b)];
    lanes_.trap_where(lanes_.and_not_bool(wanted, inside));
    return {place, lanes_.and_bool(wanted, inside)};
  }
  [[nodiscard]] const StageSegments* segments_of(std::size_t i) const {
    for (const StageSegments& s : spec_.segments)
      if (static_cast<std::size_t>(s.value) == i) return &s;
    return nullptr;
  }
  [[nodiscard]] Lane load_int(std::int32_t scratch) {
    return lanes_.load(int_storage(), frame_.element(scratch_slot(scratch, int_storage()), int_storage()));
  }
  [[nodiscard]] Storage int_storage() const { return lanes_.wide() ? Storage::kI64 : Storage::kI32; }
  [[nodiscard]] const soac::BodyInst& inst(std::size_t i) const { return spec_.body->insts[i]; }

  Lanes& lanes_;
  StageFrame& frame_;
  const StageSpec& spec_;
  std::vector<Lane> limits_;  // by value
  std::vector<bool> near_;    // values that follow the iteration
  std::vector<bool> same_;    // values that are one number for all lanes
};

}  // namespace nvm::vm::cpu
