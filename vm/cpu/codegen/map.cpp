// Maps: the loops over a block that evaluate the body of a stage and store, pack, fold and scan what it
// gives.
#include <asmjit/x86.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>

#include "bytecode/base/at.h"
#include "vm/cpu/codegen/emit_errors.h"
#include "vm/cpu/codegen/fold_emitter.h"
#include "vm/cpu/codegen/narrow_loop.h"
#include "vm/cpu/codegen/pack_emitter.h"
#include "vm/cpu/codegen/rounds.h"
#include "vm/cpu/codegen/side_by_side.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stage_frame.h"
#include "vm/cpu/codegen/stripes.h"
#include "vm/cpu/codegen/values.h"

namespace nvm::vm::cpu {

namespace {

using soac::kNone;
using soac::Pull;

class StageEmitter {
 public:
  StageEmitter(x86::Compiler& cc, Isa isa, const StageSpec& spec, Stage& stage)
      : cc_(cc),
        spec_(spec),
        stage_(stage),
        frame_(cc, stage.slots),
        values_(cc, isa, spec, frame_),
        packs_(frame_, spec.packs) {}

  void emit() {
    begin_function();
    values_.hoist();
    for (const StageOutput& out : spec_.outputs) static_cast<void>(frame_.pointer(out.slot));
    packs_.hoist(lanes());
    if (spec_.repeat != nullptr)
      emit_repeated();
    else
      outer() ? emit_segments() : emit_loop();
    end_function();
  }

 private:
  using Wanted = std::function<bool(std::size_t)>;  // by number
  static constexpr auto kAll = [](std::size_t) { return true; };

  [[nodiscard]] Lanes& lanes() { return values_.lanes(); }
  [[nodiscard]] std::optional<OuterLoop>& outer() { return values_.outer(); }

  void emit_loop() {
    const auto scan_cell = [&](const StageScan& s) { return cell_of(s); };
    values_.scans().load(scan_cell);
    FoldEmitter folds(lanes(), spec_.folds);
    folds.load([&](const StageFold& f) { return lanes_pointer(f); },
               frame_.field(offsetof(StageArgs, phase)));
    const asmjit::Label loop = cc_.newLabel(), end = cc_.newLabel();
    const auto narrow = stage_.traps ? std::nullopt : narrow_plan(spec_, values_.needed(), lanes().isa());
    narrow ? emit_narrow(*narrow, folds, end) : emit_side_by_side(folds, end);
    cc_.bind(loop);
    if (spec_.striped) values_.stripes().load(values_.needed());
    for (std::size_t turn = 0; turn < (spec_.striped ? kStripeTurn : 1); ++turn) {
      emit_iteration(turn);
      const auto value = [&](const StageFold& f) { return values_[f.value]; };
      spec_.striped ? folds.combine_in(turn, value) : folds.combine(value);
      values_.step_index(spec_.striped ? 1 : lanes().count());
    }
    if (spec_.striped) values_.scans().settle();
    advance(loop);
    cc_.bind(end);
    folds.store([&](const StageFold& f) { return lanes_pointer(f); }, frame_.n());
    values_.scans().store(scan_cell);
    packs_.store(cc_);
  }
  void emit_narrow(const NarrowPlan& plan, FoldEmitter& folds, const asmjit::Label& end) {
    struct Sinks {
      StageEmitter& stage;
      FoldEmitter& folds;
      void store(const Wanted& wanted) { stage.emit_outputs(wanted); }
      void pack(const Wanted& wanted) { stage.emit_packs(wanted); }
      void fold(const Wanted& wanted) {
        folds.combine([this](const StageFold& f) { return stage.values_[f.value]; }, wanted);
      }
      void add(std::size_t fold, const x86::Gp& number) { folds.add(fold, number); }
    };
    Sinks sinks{*this, folds};
    stage_.narrow_bytes = plan.bytes;
    NarrowLoop(cc_, frame_, spec_, values_, plan).emit(sinks, end);
  }
  // In front of the loop, which does what is left over: several vectors at a time. To `end` if nothing is.
  void emit_side_by_side(FoldEmitter& folds, const asmjit::Label& end) {
    const std::size_t together = vectors_side_by_side(spec_, values_.needed(), lanes().isa());
    if (together == 1) return;
    const asmjit::Label loop = cc_.newLabel(), behind = cc_.newLabel();
    const auto step = static_cast<std::int32_t>(together) * lanes().count();
    const x86::Gp last = cc_.newInt64();
    const bool words = values_.divisions().small_of_words();
    if (words) jump_unless_fit(cc_, frame_, spec_, values_.needed(), 4, behind);
    values_.divisions().assume_words(words);
    std::vector<std::vector<Lane>> values(together, values_.all());
    cc_.bind(loop);
    cc_.lea(last, x86::ptr(frame_.i(), step));
    cc_.cmp(last, frame_.n());
    cc_.ja(behind);
    const auto each = [&](auto emit) {
      for (std::size_t of = 0; of < together; ++of) {
        values_.look_ahead(static_cast<std::int64_t>(of) * lanes().count());
        values_.all().swap(values[of]);
        emit();
        values_.all().swap(values[of]);
      }
      values_.look_ahead(0);
    };
    for (std::size_t i = 0; i < values_.all().size(); ++i) each([&] { values_.emit(i); });
    each([&] {
      emit_outputs(kAll);
      folds.combine([&](const StageFold& f) { return values_[f.value]; });
    });
    values_.step_index(step);
    cc_.lea(frame_.i(), x86::ptr(frame_.i(), step));
    cc_.jmp(loop);
    cc_.bind(behind);
    values_.divisions().assume_words(false);
    cc_.cmp(frame_.i(), frame_.n());
    cc_.jae(end);
  }
  // Vectors of lanes that go round together have values of their own.
  void emit_repeated() {
    Rounds rounds(lanes(), frame_, spec_, values_.needed());
    const std::vector<Lane> everywhere = values_.all();
    std::vector<std::vector<Lane>> values(rounds.together());
    const auto evaluate = [&](std::size_t of, Rounds::When when) {
      if (when == Rounds::When::kBefore) values[of] = everywhere;
      values_.look_ahead(static_cast<std::int64_t>(of) * lanes().count());
      values_.all().swap(values[of]);
      for (std::size_t i = 0; i < values_.all().size(); ++i)
        if (rounds.evaluated(i, when)) values_.emit(i);
      if (when == Rounds::When::kAfter) emit_outputs(kAll);
      values_.all().swap(values[of]);
    };
    rounds.emit(evaluate, [&](std::size_t of, std::size_t i) -> Lane& { return values[of][i]; });
  }
  // A lane for each segment.
  void emit_segments() {
    outer()->hoist();
    emit_table();
    const asmjit::Label loop = cc_.newLabel();
    cc_.bind(loop);
    emit_values(false);
    outer()->enter(values_.all());
    const std::vector<std::size_t> gathers = settle_gathers();
    outer()->begin_block();
    const asmjit::Label behind = cc_.newLabel();
    // Where all places are side by side or one, each way to be so has a loop of its own.
    constexpr std::size_t kMostGathers = 2;
    const std::size_t ways = gathers.empty() || gathers.size() > kMostGathers ? 0 : 1U << gathers.size();
    const std::vector<bool> unread = read_only_by(spec_, values_.needed(), gathers);
    for (std::size_t way = 0; way < ways; ++way) {
      const asmjit::Label other = cc_.newLabel();
      for (std::size_t k = 0; k < gathers.size(); ++k) {
        const auto lie = (way >> k & 1) != 0 ? GatherEmitter::kNear : GatherEmitter::kSame;
        values_.gathers().jump_unless(gathers[k], lie, other);
        values_.gathers().fix(gathers[k], lie);
      }
      emit_elements(unread);
      cc_.jmp(behind);
      cc_.bind(other);
    }
    for (const std::size_t g : gathers) values_.gathers().fix(g, GatherEmitter::kScattered);
    emit_elements(std::vector<bool>(values_.all().size()));
    cc_.bind(behind);
    outer()->end_block();
    outer()->leave();
    advance(loop);
  }
  void emit_table() {
    OuterTable& table = outer()->table();
    if (table.empty()) return;
    outer()->begin_table();
    for (std::size_t i = 0; i < values_.all().size(); ++i) {
      if (!table.in_front(i)) continue;
      if (!outer()->pulls(i, values_.all()[i])) values_.emit(i);
      if (table.tabled(i)) table.put(i, values_.all()[i]);
    }
    outer()->end_table();
  }
  void emit_elements(const std::vector<bool>& unread) {
    const asmjit::Label elements = cc_.newLabel();
    cc_.bind(elements);
    emit_values(true);
    values_.gathers().step();
    outer()->next(values_.all(), unread, elements);
  }
  void emit_values(bool inside) {
    const OuterTable& table = outer()->table();
    for (std::size_t i = 0; i < values_.all().size(); ++i) {
      if (!values_.needed()[i] || outer()->inside(i) != inside) continue;
      if (inside && table.tabled(i))
        values_.all()[i] = table.get(i, spec_.body->insts[i].type);
      else if ((!inside || table.inside(i)) && !outer()->pulls(i, values_.all()[i]))
        values_.emit(i);
    }
  }
  // The gathers whose index goes up evenly.
  std::vector<std::size_t> settle_gathers() {
    const auto even = even_values(spec_);
    std::vector<std::size_t> settled;
    for (std::size_t i = 0; i < values_.all().size(); ++i) {
      const std::int32_t index = spec_.body->insts[i].a;
      if (!values_.needed()[i] || index == kNone || !even[at(index)] ||
          !values_.gathers().settles(i, even[at(index)]->stride))
        continue;
      values_.gathers().settle(i, outer()->current(at(index)), outer()->stride_of(at(index), values_.all()),
                               outer()->steps());
      settled.push_back(i);
    }
    return settled;
  }
  void begin_function() {
    asmjit::FuncNode* func = cc_.addFunc(asmjit::FuncSignatureT<void, StageArgs*>());
    func->frame().setAvxEnabled();
    if (lanes().isa() == Isa::kAvx512) func->frame().setAvx512Enabled();
    func->frame().addAttributes(asmjit::FuncAttributes::kX86_AVXCleanup);
    const x86::Gp args = cc_.newIntPtr("args");
    func->setArg(0, args);
    frame_.begin(args);
    stage_.traps = values_.traps();
    values_.prepare();
    if (!stage_.traps && spec_.packs.empty() && spec_.scans.empty() && !outer()) return;
    const std::size_t active =
        lanes().isa() == Isa::kAvx512 ? offsetof(StageArgs, active) : offsetof(StageArgs, active_lanes);
    lanes().set_active(load_mask(lanes(), frame_.field(active)), lanes().constant_bool(false));
    values_.divisions().hoist();
  }
  void emit_iteration(std::size_t turn) {
    for (std::size_t i = 0; i < values_.all().size(); ++i) {
      if (spec_.striped && values_.needed()[i] && spec_.body->insts[i].pull == Pull::kElement)
        values_.all()[i] = values_.stripes().loaded(i, turn);
      else
        values_.emit(i);
    }
    emit_outputs(kAll);
    for (std::size_t k = 0; k < spec_.scans.size(); ++k)
      if (spec_.scans[k].total) values_.scans().total(k, values_[spec_.scans[k].value]);
    emit_packs(kAll);
  }

  [[nodiscard]] x86::Gp lanes_pointer(const StageFold& f) {
    return frame_.pointer({SlotKind::kLanes, f.lanes, static_cast<std::int32_t>(storage_bytes(f.cell))});
  }
  [[nodiscard]] x86::Mem cell_of(const StageScan& s) {
    if (spec_.striped) return x86::ptr(frame_.pointer({SlotKind::kStripes, s.advance}));
    return frame_.cell({SlotKind::kAdvance, s.advance});
  }
  // Those of which `wanted` (by number).
  void emit_outputs(const Wanted& wanted) {
    for (std::size_t k = 0; k < spec_.outputs.size(); ++k) {
      const StageOutput& out = spec_.outputs[k];
      const bool streaming = spec_.streaming && out.slot.kind == SlotKind::kOut;
      if (wanted(k))
        lanes().store(out.storage, values_.element(out.slot, out.storage), values_[out.value], streaming);
    }
  }
  void emit_packs(const Wanted& wanted) {
    packs_.pack(
        lanes(), wanted,
        [this](std::int32_t v) {
          const Lane& flag = values_[v];
          return is_given(lanes().active()) ? lanes().and_bool(flag, lanes().active()) : flag;
        },
        [this](std::int32_t v) { return values_[v]; });
  }

  void advance(const asmjit::Label& loop) {
    cc_.add(frame_.i(), spec_.striped ? kStripeTurn : lanes().count());
    if (spec_.striped)
      cc_.cmp(frame_.i(), frame_.field(offsetof(StageArgs, stride)));
    else
      cc_.cmp(frame_.i(), frame_.n());
    cc_.jb(loop);
  }

  void end_function() {
    if (stage_.traps) {
      const x86::Gp any = cc_.newInt64();
      lanes().any_to(any, lanes().trapped());
      cc_.or_(frame_.field(offsetof(StageArgs, trapped)), any);
    }
    cc_.ret();
    cc_.endFunc();
  }

  x86::Compiler& cc_;
  const StageSpec& spec_;
  Stage& stage_;
  StageFrame frame_;
  StageValues values_;
  PackEmitter packs_;
};

}  // namespace

bool compile_stage(asmjit::JitRuntime& runtime, Isa isa, const StageSpec& spec, bool want_listing,
                   Stage& stage, std::string& reason) {
  const auto emit = [&](x86::Compiler& cc) { StageEmitter(cc, isa, spec, stage).emit(); };
  return assemble(runtime, want_listing, emit, stage, reason);
}

}  // namespace nvm::vm::cpu
