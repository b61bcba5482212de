// A loop over segments, a lane for each, and inside of it one over the elements of a segment: scans and
// reductions are then one operation for each element, from left to right, instead of steps across the lanes.
// What reads one number for each segment is evaluated outside, what follows the element inside.
//
// For segments that are all of one length. FLOAT is combined as reduce_tree.h says: few elements from left to
// right, many a block at a time (codegen/outer_tree.h).
#pragma once

#include <optional>
#include <vector>

#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/outer_table.h"
#include "vm/cpu/codegen/outer_tree.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stage_frame.h"

namespace nvm::vm::cpu {

class OuterLoop {
 public:
  OuterLoop(Lanes& lanes, StageFrame& frame, const StageSpec& spec, const std::vector<bool>& needed)
      : lanes_(lanes),
        frame_(frame),
        spec_(spec),
        inside_(inside_of(spec)),
        even_(even_values(spec)),
        current_(spec.body->insts.size()),
        table_(lanes, spec, needed),
        tree_(lanes) {}

  [[nodiscard]] bool inside(std::size_t i) const { return inside_[i]; }

  // In front of both loops.
  void hoist() {
    const Slot length{SlotKind::kSegmentLength, spec_.outer->desc};
    length_ = lanes_.cc().newInt64();
    lanes_.cc().mov(length_, frame_.cell(length));
    one_ = lanes_.constant_int(1);
    turn_ = lanes_.constant_int(lanes_.count());
    lengths_ = lanes_.broadcast(Type::kInt, frame_.cell(length));
    segment_ = lanes_.count_up(frame_.field(offsetof(StageArgs, index)));
    for (const OuterFold& f : spec_.outer->folds) {
      identities_.push_back(identity(f));
      running_.push_back(like(lanes_, identities_.back()));
      if (f.out != soac::kNone) static_cast<void>(frame_.pointer(out_slot(f)));
      if (in_tree(f)) tree_.add(running_.size() - 1, f.op, identities_.back());
    }
    if (!spec_.outer->many) return;
    steps_ = lanes_.sub_int(lengths_, one_);
    rest_ = lanes_.cc().newInt64();
    block_ = lanes_.cc().newLabel();
  }
  // Addresses that a pull needs.
  void hoist(std::size_t i) {
    const soac::BodyInst& in = spec_.body->insts[i];
    if (in.pull == soac::Pull::kPerSegment) static_cast<void>(frame_.pointer(element_slot(in)));
    if (in.pull == soac::Pull::kElement) static_cast<void>(frame_.pointer({SlotKind::kBase, in.var}));
    if (even_[i]) current_[i] = like(lanes_, one_);
    places_ |= in.pull == soac::Pull::kElement || in.pull == soac::Pull::kIndex;
    counts_ |= in.pull == soac::Pull::kWithin && table_.inside(i);
  }
  [[nodiscard]] OuterTable& table() { return table_; }
  // In front of both loops, around the values by place.
  void begin_table() {
    begin_segment();
    rows_ = lanes_.cc().newLabel();
    lanes_.cc().bind(rows_);
  }
  void end_table() {
    table_.step();
    step(within_, one_);
    lanes_.cc().dec(left_);
    lanes_.cc().jnz(rows_);
  }
  // In front of the inner loop: `values` are those outside.
  void enter(const std::vector<Lane>& values) {
    place_ = lanes_.mul_int(segment_, lengths_);
    begin_segment();
    for (std::size_t k = 0; k < running_.size(); ++k) move(lanes_, running_[k], identities_[k]);
    for (std::size_t i = 0; i < current_.size(); ++i)
      if (goes_up(i))
        move(lanes_, current_[i], even_[i]->start == soac::kNone ? within_ : start_of(i, values));
  }
  // Does the value go up evenly, and by as much in all lanes? Then, what it starts with and goes up by.
  [[nodiscard]] bool goes_up(std::size_t i) const { return even_[i] && current_[i].v.isValid(); }
  [[nodiscard]] Lane start_of(std::size_t i, const std::vector<Lane>& values) const {
    return values[static_cast<std::size_t>(even_[i]->start)];
  }
  [[nodiscard]] Lane stride_of(std::size_t i, const std::vector<Lane>& values) const {
    return even_[i]->stride == soac::kNone ? one_ : values[static_cast<std::size_t>(even_[i]->stride)];
  }
  [[nodiscard]] const Lane& current(std::size_t i) const { return current_[i]; }
  // Elements of a segment but the first.
  [[nodiscard]] const Lane& steps() const { return steps_; }
  // Where the blocks of many elements begin.
  void begin_block() {
    if (!spec_.outer->many) return;
    x86::Compiler& cc = lanes_.cc();
    cc.mov(rest_, length_);
    cc.bind(block_);
    tree_.begin_block();
    cc.mov(left_, static_cast<std::int64_t>(kReduceBlock));
    cc.cmp(rest_, left_);
    cc.cmovl(left_, rest_);
    cc.sub(rest_, left_);
  }
  // What a pull gives for the lanes' segments, and elements of them; other instructions are none of it.
  [[nodiscard]] bool pulls(std::size_t i, Lane& value) {
    const soac::BodyInst& in = spec_.body->insts[i];
    if (goes_up(i)) {
      value = current_[i];
      return true;
    }
    switch (in.pull) {
      case soac::Pull::kSegment: value = segment_; return true;
      case soac::Pull::kIndex: value = place_; return true;
      case soac::Pull::kWithin: value = within_; return true;
      case soac::Pull::kPerSegment:
        value = lanes_.load(storage_of(in), frame_.element(element_slot(in), storage_of(in)));
        return true;
      case soac::Pull::kElement:
        value =
            lanes_.gather(storage_of(in), frame_.pointer({SlotKind::kBase, in.var}), place_, lanes_.active());
        return true;
      case soac::Pull::kScanned: value = running_[fold_of(in.a)]; return true;
      default: return false;
    }
  }
  // Behind the elements of an iteration of the inner loop. Nobody wants the values in `unread` to go up.
  void next(const std::vector<Lane>& values, const std::vector<bool>& unread, const asmjit::Label& loop) {
    std::vector<Lane> combined;
    for (std::size_t k = 0; k < running_.size(); ++k) {
      const OuterFold& f = spec_.outer->folds[k];
      const Lane& value = values[static_cast<std::size_t>(f.value)];
      const Lane args[2] = {running_[k], value};
      combined.push_back(in_tree(f) ? value : emit_scalar(lanes_, f.op, args));
    }
    tree_.combine(combined);
    for (std::size_t k = 0; k < running_.size(); ++k)
      if (!in_tree(spec_.outer->folds[k])) move(lanes_, running_[k], combined[k]);
    if (places_) step(place_, one_);
    if (counts_) step(within_, one_);
    for (std::size_t i = 0; i < current_.size(); ++i)
      if (goes_up(i) && !unread[i]) step(current_[i], stride_of(i, values));
    table_.step();
    lanes_.cc().dec(left_);
    lanes_.cc().jnz(loop);
  }
  void end_block() {
    if (!spec_.outer->many) return;
    tree_.end_block(running_);
    lanes_.cc().test(rest_, rest_);
    lanes_.cc().jnz(block_);
  }
  // Behind the inner loop.
  void leave() {
    for (std::size_t k = 0; k < running_.size(); ++k) {
      const OuterFold& f = spec_.outer->folds[k];
      if (f.out == soac::kNone) continue;
      lanes_.store(f.storage, frame_.element(out_slot(f), f.storage), running_[k], false);
    }
    step(segment_, turn_);
  }

 private:
  void begin_segment() {
    within_ = lanes_.constant_int(0);
    left_ = lanes_.cc().newInt64();
    lanes_.cc().mov(left_, length_);
    table_.begin();
  }
  [[nodiscard]] bool in_tree(const OuterFold& f) const { return spec_.outer->many && f.type == Type::kFloat; }
  [[nodiscard]] Storage storage_of(const soac::BodyInst& in) const {
    return (*spec_.vars)[static_cast<std::size_t>(in.var)].storage;
  }
  [[nodiscard]] Slot element_slot(const soac::BodyInst& in) const {
    return {SlotKind::kElement, in.var, static_cast<std::int32_t>(storage_bytes(storage_of(in)))};
  }
  [[nodiscard]] static Slot out_slot(const OuterFold& f) {
    return {SlotKind::kOut, f.out, static_cast<std::int32_t>(storage_bytes(f.storage))};
  }
  [[nodiscard]] std::size_t fold_of(std::int32_t sink) const {
    std::size_t k = 0;
    while (spec_.outer->folds[k].sink != sink) ++k;
    return k;
  }
  [[nodiscard]] Lane identity(const OuterFold& f) {
    if (f.type == Type::kFloat) return lanes_.constant_float(float_identity(f.op));
    if (f.type == Type::kBool) return lanes_.constant_bool(bool_identity(f.op) != 0);
    return lanes_.constant_int(int_identity(f.op, lanes_.wide() ? IntBits::k64 : IntBits::k32));
  }
  void step(const Lane& lane, const Lane& by) {
    lanes_.wide() ? lanes_.cc().vpaddq(lane.v, lane.v, by.v) : lanes_.cc().vpaddd(lane.v, lane.v, by.v);
  }

  Lanes& lanes_;
  StageFrame& frame_;
  const StageSpec& spec_;
  std::vector<bool> inside_;                // by value
  std::vector<Lane> identities_, running_;  // by fold
  Lane one_, turn_, lengths_;
  Lane segment_, place_, within_;  // by lane: number of the segment; of the element, among all and in it
  x86::Gp length_, left_;
  bool places_ = false, counts_ = false;        // somebody wants place_, within_
  std::vector<std::optional<EvenValue>> even_;  // by value
  std::vector<Lane> current_;                   // of even values that are wanted
  OuterTable table_;                            // of few elements
  asmjit::Label rows_;
  OuterTree tree_;  // of many elements
  Lane steps_;
  x86::Gp rest_;  // elements behind the block
  asmjit::Label block_;
};

}  // namespace nvm::vm::cpu
