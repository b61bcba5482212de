// Maps: the loop over a block that pulls what the body needs, applies the scalar operations and stores.
#include <asmjit/x86.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>

#include "bytecode/base/check.h"
#include "vm/cpu/codegen/emit_errors.h"
#include "vm/cpu/codegen/fold_emitter.h"
#include "vm/cpu/codegen/gather_emitter.h"
#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/outer_loop.h"
#include "vm/cpu/codegen/reciprocals.h"
#include "vm/cpu/codegen/rounds.h"
#include "vm/cpu/codegen/scan_emitter.h"
#include "vm/cpu/codegen/side_by_side.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stage_frame.h"
#include "vm/cpu/codegen/stripe_loads.h"
#include "vm/cpu/codegen/stripes.h"

namespace nvm::vm::cpu {

namespace {

using soac::BodyInst;
using soac::kNone;
using soac::Pull;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class StageEmitter {
 public:
  StageEmitter(x86::Compiler& cc, Isa isa, const StageSpec& spec, Stage& stage)
      : cc_(cc),
        spec_(spec),
        stage_(stage),
        frame_(cc, stage.slots),
        lanes_(isa == Isa::kAvx512 ? make_avx512_lanes(cc, spec.int_bits)
                                   : make_avx2_lanes(cc, spec.int_bits)),
        gathers_(*lanes_, frame_, spec),
        scans_(*lanes_, spec.scans, spec.striped),
        stripes_(*lanes_, frame_, spec),
        reciprocals_(*lanes_, spec),
        needed_(needed_values(spec)),
        values_(spec.body->insts.size()),
        straight_(spec.body->insts.size()),
        input_of_(spec.body->insts.size(), nullptr) {
    for (const StageInput& in : spec.inputs) input_of_[at(in.value)] = &in;
    for (const std::int32_t g : spec.straight.gathers) straight_[at(g)] = true;
    if (spec.outer != nullptr) outer_.emplace(*lanes_, frame_, spec);
  }

  void emit() {
    begin_function();
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (needed_[i] && input_of_[i] == nullptr) hoist(i);
    for (const StageInput& in : spec_.inputs)
      if (needed_[at(in.value)]) static_cast<void>(frame_.pointer(scratch_slot(in.scratch, in.storage)));
    for (const StageOutput& out : spec_.outputs) static_cast<void>(frame_.pointer(out.slot));
    for (const StagePack& p : spec_.packs) static_cast<void>(frame_.pointer(advance_slot(p)));
    if (!spec_.packs.empty()) lanes_->prepare_packing();
    if (spec_.repeat != nullptr)
      emit_repeated();
    else
      outer_ ? emit_segments() : emit_loop();
    end_function();
  }

 private:
  void emit_loop() {
    const auto scan_cell = [&](const StageScan& s) { return cell_of(s); };
    scans_.load(scan_cell);
    FoldEmitter folds(*lanes_, spec_.folds);
    folds.load([&](const StageFold& f) { return lanes_pointer(f); },
               frame_.field(offsetof(StageArgs, phase)));
    const asmjit::Label loop = cc_.newLabel(), end = cc_.newLabel();
    emit_side_by_side(folds, end);
    cc_.bind(loop);
    if (spec_.striped) stripes_.load(needed_);
    for (std::size_t turn = 0; turn < (spec_.striped ? kStripeTurn : 1); ++turn) {
      emit_iteration(turn);
      const auto value = [&](const StageFold& f) { return values_[at(f.value)]; };
      spec_.striped ? folds.combine_in(turn, value) : folds.combine(value);
      step_index(spec_.striped ? 1 : lanes_->count());
    }
    if (spec_.striped) scans_.settle();
    advance(loop);
    cc_.bind(end);
    folds.store([&](const StageFold& f) { return lanes_pointer(f); }, frame_.n());
    scans_.store(scan_cell);
    for (const StagePack& p : spec_.packs)
      cc_.mov(frame_.cell(advance_slot(p)), frame_.pointer(advance_slot(p)));
  }
  // In front of the loop, which does what is left over: several vectors at a time. To `end` if nothing is.
  void emit_side_by_side(FoldEmitter& folds, const asmjit::Label& end) {
    const std::size_t together = vectors_side_by_side(spec_, needed_, lanes_->isa());
    if (together == 1) return;
    const asmjit::Label loop = cc_.newLabel(), behind = cc_.newLabel();
    const auto step = static_cast<std::int32_t>(together) * lanes_->count();
    const x86::Gp last = cc_.newInt64();
    const bool words = reciprocals_.small_of_words();
    if (words) jump_unless_words(cc_, frame_, spec_, needed_, behind);
    reciprocals_.assume_words(words);
    std::vector<std::vector<Lane>> values(together, values_);
    cc_.bind(loop);
    cc_.lea(last, x86::ptr(frame_.i(), step));
    cc_.cmp(last, frame_.n());
    cc_.ja(behind);
    const auto each = [&](auto emit) {
      for (std::size_t of = 0; of < together; ++of) {
        ahead_ = static_cast<std::int64_t>(of) * lanes_->count();
        values_.swap(values[of]);
        emit();
        values_.swap(values[of]);
      }
      ahead_ = 0;
    };
    for (std::size_t i = 0; i < values_.size(); ++i) each([&] { emit_value(i); });
    each([&] {
      for (const StageOutput& out : spec_.outputs) emit_output(out);
      folds.combine([&](const StageFold& f) { return values_[at(f.value)]; });
    });
    step_index(step);
    cc_.lea(frame_.i(), x86::ptr(frame_.i(), step));
    cc_.jmp(loop);
    cc_.bind(behind);
    reciprocals_.assume_words(false);
    cc_.cmp(frame_.i(), frame_.n());
    cc_.jae(end);
  }
  // Vectors of lanes that go round together have values of their own.
  void emit_repeated() {
    Rounds rounds(*lanes_, frame_, spec_, needed_);
    const std::vector<Lane> everywhere = values_;
    std::vector<std::vector<Lane>> values(rounds.together());
    const auto evaluate = [&](std::size_t of, Rounds::When when) {
      if (when == Rounds::When::kBefore) values[of] = everywhere;
      ahead_ = static_cast<std::int64_t>(of) * lanes_->count();
      values_.swap(values[of]);
      for (std::size_t i = 0; i < values_.size(); ++i)
        if (rounds.evaluated(i, when)) emit_value(i);
      for (const StageOutput& out : spec_.outputs)
        if (when == Rounds::When::kAfter) emit_output(out);
      values_.swap(values[of]);
    };
    rounds.emit(evaluate, [&](std::size_t of, std::size_t i) -> Lane& { return values[of][i]; });
  }
  // A lane for each segment.
  void emit_segments() {
    outer_->hoist();
    const asmjit::Label loop = cc_.newLabel();
    cc_.bind(loop);
    emit_values(false);
    outer_->enter(values_);
    const std::vector<std::size_t> gathers = settle_gathers();
    outer_->begin_block();
    const asmjit::Label behind = cc_.newLabel();
    // Where all places are side by side or one, each way to be so has a loop of its own.
    constexpr std::size_t kMostGathers = 2;
    const std::size_t ways = gathers.empty() || gathers.size() > kMostGathers ? 0 : 1U << gathers.size();
    const std::vector<bool> unread = read_only_by(spec_, needed_, gathers);
    for (std::size_t way = 0; way < ways; ++way) {
      const asmjit::Label other = cc_.newLabel();
      for (std::size_t k = 0; k < gathers.size(); ++k) {
        const auto lie = (way >> k & 1) != 0 ? GatherEmitter::kNear : GatherEmitter::kSame;
        gathers_.jump_unless(gathers[k], lie, other);
        gathers_.fix(gathers[k], lie);
      }
      emit_elements(unread);
      cc_.jmp(behind);
      cc_.bind(other);
    }
    for (const std::size_t g : gathers) gathers_.fix(g, GatherEmitter::kScattered);
    emit_elements(std::vector<bool>(values_.size()));
    cc_.bind(behind);
    outer_->end_block();
    outer_->leave();
    advance(loop);
  }
  void emit_elements(const std::vector<bool>& unread) {
    const asmjit::Label elements = cc_.newLabel();
    cc_.bind(elements);
    emit_values(true);
    gathers_.step();
    outer_->next(values_, unread, elements);
  }
  void emit_values(bool inside) {
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (needed_[i] && outer_->inside(i) == inside && !outer_->pulls(i, values_[i])) emit_value(i);
  }
  // The gathers whose index goes up evenly.
  std::vector<std::size_t> settle_gathers() {
    const auto even = even_values(spec_);
    std::vector<std::size_t> settled;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const std::int32_t index = spec_.body->insts[i].a;
      if (!needed_[i] || index == kNone || !even[at(index)] || !gathers_.settles(i, even[at(index)]->stride))
        continue;
      gathers_.settle(i, outer_->current(at(index)), outer_->stride_of(at(index), values_), outer_->steps());
      settled.push_back(i);
    }
    return settled;
  }
  void begin_function() {
    asmjit::FuncNode* func = cc_.addFunc(asmjit::FuncSignatureT<void, StageArgs*>());
    func->frame().setAvxEnabled();
    if (lanes_->isa() == Isa::kAvx512) func->frame().setAvx512Enabled();
    func->frame().addAttributes(asmjit::FuncAttributes::kX86_AVXCleanup);
    const x86::Gp args = cc_.newIntPtr("args");
    func->setArg(0, args);
    frame_.begin(args);
    stage_.traps = traps();
    look_at_values();
    prepare_divisions();
    if (!stage_.traps && spec_.packs.empty() && spec_.scans.empty() && !outer_) return;
    const std::size_t active =
        lanes_->isa() == Isa::kAvx512 ? offsetof(StageArgs, active) : offsetof(StageArgs, active_lanes);
    lanes_->set_active(load_mask(*lanes_, frame_.field(active)), lanes_->constant_bool(false));
    reciprocals_.hoist();
  }
  void prepare_divisions() {
    std::vector<bool> computed = needed_;
    for (const StageInput& in : spec_.inputs) computed[at(in.value)] = false;
    reciprocals_.prepare(computed, [&](std::size_t i) -> std::optional<x86::Mem> {
      const BodyInst& in = spec_.body->insts[i];
      if (in.pull != Pull::kUniform || spec_.repeat != nullptr) return std::nullopt;  // it may be carried
      return frame_.cell({SlotKind::kUniform, in.var});
    });
  }

  void emit_iteration(std::size_t turn) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (spec_.striped && needed_[i] && spec_.body->insts[i].pull == Pull::kElement)
        values_[i] = stripes_.loaded(i, turn);
      else
        emit_value(i);
    }
    for (const StageOutput& out : spec_.outputs) emit_output(out);
    for (std::size_t k = 0; k < spec_.scans.size(); ++k)
      if (spec_.scans[k].total) scans_.total(k, values_[at(spec_.scans[k].value)]);
    emit_packs();
  }

  // True if some needed value may trap.
  [[nodiscard]] bool traps() const {
    if (spec_.repeat != nullptr) return true;  // who goes round too often
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (needed_[i] && input_of_[i] == nullptr && !straight_[i] && soac::may_trap(*spec_.body, i))
        return true;
    return false;
  }

  // Is some needed value gathered, and not near the others? Does an iteration compute much?
  void look_at_values() {
    constexpr int kMany = 24;
    int count = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!needed_[i] || input_of_[i] != nullptr) continue;
      const BodyInst& in = spec_.body->insts[i];
      const bool by_index = in.pull == Pull::kGather || in.pull == Pull::kSegGather;
      scatters_ |= by_index && !straight_[i] && gathers_.scatters(i);
      computes_ |= in.pull == Pull::kApply && ++count >= kMany;
    }
  }

  [[nodiscard]] x86::Gp lanes_pointer(const StageFold& f) {
    return frame_.pointer({SlotKind::kLanes, f.lanes, static_cast<std::int32_t>(storage_bytes(f.cell))});
  }
  [[nodiscard]] const plan::Var& var(std::int32_t v) const { return (*spec_.vars)[at(v)]; }
  [[nodiscard]] Slot element_slot(std::int32_t v) const {
    return {SlotKind::kElement, v, static_cast<std::int32_t>(storage_bytes(var(v).storage))};
  }

  [[nodiscard]] x86::Mem element(const Slot& slot, Storage storage) {
    x86::Mem at = frame_.element(slot, storage);
    at.addOffset(ahead_ * static_cast<std::int64_t>(storage_bytes(storage)));
    return at;
  }

  // Before the loop: what is the same for all iterations, and addresses.
  void hoist(std::size_t i) {
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
        values_[i] =
            lanes_->broadcast(in.type, frame_.cell({SlotKind::kOfRow, static_cast<std::int32_t>(i)}));
        return;
      case Pull::kElement:
        static_cast<void>(frame_.pointer(element_slot(in.var)));
        if (spec_.striped) stripes_.hoist(in.var, element_slot(in.var));
        return;
      case Pull::kGather:
      case Pull::kSegGather:
      case Pull::kSegPlace:
        return straight_[i] ? static_cast<void>(frame_.pointer(straight_slot(i))) : gathers_.hoist(i);
      default: return;
    }
  }
  [[nodiscard]] Lane first_index() {
    const x86::Mem index = frame_.field(offsetof(StageArgs, index));
    if (!spec_.striped) return lanes_->count_up(index);
    const Lane stride = lanes_->broadcast(Type::kInt, frame_.field(offsetof(StageArgs, stride)));
    return lanes_->add_int(lanes_->broadcast(Type::kInt, index),
                           lanes_->mul_int(stride, lanes_->lane_numbers()));
  }
  [[nodiscard]] x86::Mem cell_of(const StageScan& s) {
    if (spec_.striped) return x86::ptr(frame_.pointer({SlotKind::kStripes, s.advance}));
    return frame_.cell({SlotKind::kAdvance, s.advance});
  }
  [[nodiscard]] Lane constant(const BodyInst& in) {
    if (in.type == Type::kFloat) return lanes_->constant_float(in.real);
    return in.type == Type::kBool ? lanes_->constant_bool(in.imm != 0) : lanes_->constant_int(in.imm);
  }
  void emit_value(std::size_t i) {
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
        if (scatters_ || (computes_ && lanes_->fills_line(storage))) ask_ahead(from, storage_bytes(storage));
        values_[i] = lanes_->load(storage, from);
        return;
      }
      case Pull::kGather:
      case Pull::kSegGather:
        values_[i] = straight_[i] ? emit_straight(i, in) : gathers_.emit(i, values_);
        return;
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
      case Pull::kScanned: values_[i] = emit_scan(in); return;
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
  void ask_ahead(x86::Mem from, std::size_t bytes) {
    constexpr std::size_t kAhead = 256;  // elements
    from.addOffset(static_cast<std::int64_t>(kAhead * bytes));
    cc_.prefetcht0(from);
  }
  [[nodiscard]] Lane emit_scan(const BodyInst& in) {
    for (std::size_t k = 0; k < spec_.scans.size(); ++k)
      if (spec_.scans[k].sink == in.a) return scans_.step(k, values_[at(spec_.scans[k].value)]);
    NVM_CHECK(false, "a scan that the kernel should have provided");
    return {};
  }
  [[nodiscard]] Lane operand(std::int32_t v) const { return v == kNone ? Lane{} : values_[at(v)]; }

  [[nodiscard]] Slot straight_slot(std::size_t i) const {
    const auto bytes = static_cast<std::int32_t>(storage_bytes(var(spec_.body->insts[i].var).storage));
    return {SlotKind::kStraight, static_cast<std::int32_t>(i), bytes};
  }
  // A gather over a stretch: the elements stand side by side.
  [[nodiscard]] Lane emit_straight(std::size_t i, const BodyInst& in) {
    const Storage storage = var(in.var).storage;
    const Lane all = lanes_->load(storage, element(straight_slot(i), storage));
    if (in.b == kNone) return all;
    const Lane zero = in.type == Type::kFloat  ? lanes_->constant_float(0.0)
                      : in.type == Type::kBool ? lanes_->constant_bool(false)
                                               : lanes_->constant_int(0);
    return lanes_->select(values_[at(in.b)], all, zero);
  }
  void emit_output(const StageOutput& out) {
    const bool streaming = spec_.streaming && out.slot.kind == SlotKind::kOut;
    lanes_->store(out.storage, element(out.slot, out.storage), values_[at(out.value)], streaming);
  }

  [[nodiscard]] static Slot advance_slot(const StagePack& p) { return {SlotKind::kAdvance, p.advance}; }
  // Flags are counted once for all that is packed by them.
  void emit_packs() {
    std::map<std::int32_t, KeptLanes> counted;
    for (const StagePack& p : spec_.packs) {
      auto it = counted.find(p.flag);
      if (it == counted.end())
        it = counted.emplace(p.flag, lanes_->kept(lanes_->and_bool(values_[at(p.flag)], lanes_->active())))
                 .first;
      const KeptLanes& kept = it->second;
      const x86::Gp to = frame_.pointer(advance_slot(p));
      if (p.value == kNone) {
        cc_.add(to, kept.count);
        continue;
      }
      lanes_->store_kept(p.storage, x86::ptr(to), values_[at(p.value)], kept);
      cc_.lea(to, x86::ptr(to, kept.count, StageFrame::scale(p.storage)));
    }
  }

  void step_index(std::int32_t by) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Pull pull = spec_.body->insts[i].pull;
      const bool counts = pull == Pull::kIndex || pull == Pull::kWithin;
      if (!needed_[i] || input_of_[i] != nullptr || !counts) continue;
      const Lane step = lanes_->constant_int(by);
      const x86::Vec v = values_[i].v;
      lanes_->wide() ? cc_.vpaddq(v, v, step.v) : cc_.vpaddd(v, v, step.v);
    }
  }
  void advance(const asmjit::Label& loop) {
    cc_.add(frame_.i(), spec_.striped ? kStripeTurn : lanes_->count());
    if (spec_.striped)
      cc_.cmp(frame_.i(), frame_.field(offsetof(StageArgs, stride)));
    else
      cc_.cmp(frame_.i(), frame_.n());
    cc_.jb(loop);
  }

  void end_function() {
    if (stage_.traps) {
      const x86::Gp any = cc_.newInt64();
      lanes_->any_to(any, lanes_->trapped());
      cc_.or_(frame_.field(offsetof(StageArgs, trapped)), any);
    }
    cc_.ret();
    cc_.endFunc();
  }

  x86::Compiler& cc_;
  const StageSpec& spec_;
  Stage& stage_;
  StageFrame frame_;
  std::unique_ptr<Lanes> lanes_;
  GatherEmitter gathers_;
  std::optional<OuterLoop> outer_;
  ScanEmitter scans_;
  StripeLoads stripes_;
  Reciprocals reciprocals_;
  std::vector<bool> needed_;
  std::vector<Lane> values_;
  std::vector<bool> straight_;  // gathers that are loads
  std::vector<const StageInput*> input_of_;
  bool scatters_ = false, computes_ = false;
  std::int64_t ahead_ = 0;  // elements: the vector of lanes that is meant
};

}  // namespace

bool compile_stage(asmjit::JitRuntime& runtime, Isa isa, const StageSpec& spec, bool want_listing,
                   Stage& stage, std::string& reason) {
  const auto emit = [&](x86::Compiler& cc) { StageEmitter(cc, isa, spec, stage).emit(); };
  return assemble(runtime, want_listing, emit, stage, reason);
}

}  // namespace nvm::vm::cpu
