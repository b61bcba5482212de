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
        same_(same_in_lanes(spec)) {
    if (spec.repeat == nullptr) return;  // what is carried is any number
    near_.assign(near_.size(), false);
    same_.assign(same_.size(), false);
  }

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
  // Can an index be settled that goes up by one number in all lanes?
  [[nodiscard]] bool settles(std::size_t i, std::int32_t stride) const {
    const soac::BodyInst& in = inst(i);
    return lanes_.wide() && in.pull == soac::Pull::kGather && in.b == soac::kNone &&
           storage_of(in) != Storage::kB8 &&
           (stride == soac::kNone || same_[static_cast<std::size_t>(stride)]);
  }
  // In front of a loop in which the index goes up from `start` by `stride`, `steps` times, less than 2^20:
  // it stays inside if it begins and ends there, and how the lanes' places lie does not change.
  void settle(std::size_t i, const Lane& start, const Lane& stride, const Lane& steps) {
    const Lane &limit = limits_[i], one = lanes_.constant_int(1);
    const Lane last = lanes_.add_int(start, lanes_.mul_int(stride, steps));
    const Lane short_of = lanes_.sub_int(limit, one);  // |stride| < limit: no step leads around
    const Lane fits =
        lanes_.below_unsigned(lanes_.add_int(stride, short_of), lanes_.add_int(limit, short_of));
    const Lane ends =
        lanes_.and_bool(lanes_.below_unsigned(start, limit), lanes_.below_unsigned(last, limit));
    const Lane good = lanes_.and_bool(fits, ends);
    lanes_.trap_unless(good);
    settled_.resize(spec_.body->insts.size());
    Settled& s = settled_[i];
    s.on = lanes_.and_bool(good, lanes_.active());
    const Lane first = lanes_.of(Type::kInt, lanes_.new_int());
    lanes_.cc().vpbroadcastq(first.v, start.v.xmm());
    const Lane near = lanes_.compare(Compare::kEq, lanes_.add_int(first, lanes_.lane_numbers()), start);
    const Lane same = lanes_.compare(Compare::kEq, first, start);
    s.lie = lanes_.cc().newInt64();
    const asmjit::Label not_near = lanes_.cc().newLabel(), done = lanes_.cc().newLabel();
    lanes_.cc().mov(s.lie, kNear);
    lanes_.jump_unless_all(lanes_.and_bool(near, s.on), not_near);
    lanes_.cc().jmp(done);
    lanes_.cc().bind(not_near);
    lanes_.cc().mov(s.lie, kScattered);
    lanes_.jump_unless_all(lanes_.and_bool(same, s.on), done);
    lanes_.cc().mov(s.lie, kSame);
    lanes_.cc().bind(done);
    const auto bytes = static_cast<int>(storage_bytes(storage_of(inst(i))));
    s.at = lanes_.start_of(start);
    s.by = lanes_.start_of(stride);
    lanes_.cc().imul(s.at, s.at, bytes);
    lanes_.cc().imul(s.by, s.by, bytes);
    lanes_.cc().add(s.at, frame_.pointer({SlotKind::kBase, inst(i).var}));
  }
  // How the places of a settled gather lie, in the code that follows: kScattered: as it turns out.
  enum Lie : std::int64_t { kScattered = 0, kSame = 1, kNear = 2 };
  void fix(std::size_t i, Lie lie) { settled_[i].fixed = lie; }
  void jump_unless(std::size_t i, Lie lie, const asmjit::Label& to) {
    lanes_.cc().cmp(settled_[i].lie, lie);
    lanes_.cc().jne(to);
  }
  // Behind an element.
  void step() {
    for (const Settled& s : settled_)
      if (s.fixed != kScattered) lanes_.cc().add(s.at, s.by);
  }
  [[nodiscard]] Lane emit(std::size_t i, const std::vector<Lane>& values) {
    const soac::BodyInst& in = inst(i);
    if (i < settled_.size() && settled_[i].lie.isValid())
      return emit_settled(settled_[i], in, values[static_cast<std::size_t>(in.a)]);
    const Place found = find(i, values);
    const x86::Gp base = frame_.pointer({SlotKind::kBase, in.var});
    const Storage storage = storage_of(in);
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
  struct Settled {
    x86::Gp lie;
    x86::Gp at, by;  // address of the first lane's element, bytes to the next
    Lane on;
    Lie fixed = kScattered;
  };
  [[nodiscard]] Lane emit_settled(const Settled& s, const soac::BodyInst& in, const Lane& index) {
    x86::Compiler& cc = lanes_.cc();
    const Storage storage = storage_of(in);
    if (s.fixed == kNear) return lanes_.load(storage, x86::ptr(s.at));
    if (s.fixed == kSame) return everywhere(lanes_, storage, x86::ptr(s.at));
    const x86::Gp base = frame_.pointer({SlotKind::kBase, in.var});
    const asmjit::Label scattered = cc.newLabel(), same = cc.newLabel(), done = cc.newLabel();
    const Lane d = lanes_.of(in.type, in.type == Type::kFloat ? lanes_.new_float() : lanes_.new_int());
    const auto first = [&] {
      const std::uint32_t scale = storage_bytes(storage) == 8 ? 3 : storage_bytes(storage) == 4 ? 2 : 0;
      return x86::ptr(base, lanes_.start_of(index), scale);
    };
    cc.cmp(s.lie, kSame);
    cc.je(same);
    cc.jb(scattered);
    cc.vmovaps(d.v, lanes_.load(storage, first()).v);
    cc.jmp(done);
    cc.bind(same);
    cc.vmovaps(d.v, everywhere(lanes_, storage, first()).v);
    cc.jmp(done);
    cc.bind(scattered);
    cc.vmovaps(d.v, lanes_.gather(storage, base, index, s.on).v);
    cc.bind(done);
    return d;
  }
  [[nodiscard]] Storage storage_of(const soac::BodyInst& in) const {
    return (*spec_.vars)[static_cast<std::size_t>(in.var)].storage;
  }
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
  std::vector<Lane> limits_;      // by value
  std::vector<Settled> settled_;  // by value
  std::vector<bool> near_;        // values that follow the iteration
  std::vector<bool> same_;        // values that are one number for all lanes
};

}  // namespace nvm::vm::cpu
