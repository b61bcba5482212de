// Maps: the loop over a block that pulls what the body needs, applies the scalar operations and stores.
#include <asmjit/x86.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>

#include "bytecode/base/check.h"
#include "vm/cpu/codegen/fold_emitter.h"
#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/reciprocals.h"
#include "vm/cpu/codegen/scan_emitter.h"
#include "vm/cpu/codegen/stage.h"
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
        lanes_(isa == Isa::kAvx512 ? make_avx512_lanes(cc, spec.int_bits)
                                   : make_avx2_lanes(cc, spec.int_bits)),
        scans_(*lanes_, spec.scans, spec.striped),
        reciprocals_(*lanes_, spec),
        needed_(needed_values(spec)),
        values_(spec.body->insts.size()),
        straight_(spec.body->insts.size()),
        follows_index_(follow_index(*spec.body)),
        input_of_(spec.body->insts.size(), nullptr) {
    for (const StageInput& in : spec.inputs) input_of_[at(in.value)] = &in;
    for (const std::int32_t g : spec.straight.gathers) straight_[at(g)] = true;
  }

  void emit() {
    begin_function();
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (needed_[i] && input_of_[i] == nullptr) hoist(i);
    for (const StageInput& in : spec_.inputs)
      if (needed_[at(in.value)]) static_cast<void>(pointer(scratch_slot(in.scratch, in.storage)));
    for (const StageOutput& out : spec_.outputs) static_cast<void>(pointer(out.slot));
    for (const StagePack& p : spec_.packs) static_cast<void>(pointer(advance_slot(p)));
    if (!spec_.packs.empty()) lanes_->prepare_packing();
    const auto scan_cell = [&](const StageScan& s) { return cell_of(s); };
    scans_.load(scan_cell);
    FoldEmitter folds(*lanes_, spec_.folds);
    folds.load([&](const StageFold& f) { return lanes_pointer(f); }, field(offsetof(StageArgs, phase)));
    const asmjit::Label loop = cc_.newLabel();
    cc_.bind(loop);
    if (spec_.striped) load_all_stripes();
    for (std::size_t turn = 0; turn < (spec_.striped ? kStripeTurn : 1); ++turn) {
      emit_iteration(turn);
      const auto value = [&](const StageFold& f) { return values_[at(f.value)]; };
      spec_.striped ? folds.combine_in(turn, value) : folds.combine(value);
      step_index();
    }
    if (spec_.striped) scans_.settle();
    advance(loop);
    folds.store([&](const StageFold& f) { return lanes_pointer(f); }, n_);
    scans_.store(scan_cell);
    for (const StagePack& p : spec_.packs) cc_.mov(slot_cell(advance_slot(p)), pointer(advance_slot(p)));
    end_function();
  }

 private:
  void begin_function() {
    asmjit::FuncNode* func = cc_.addFunc(asmjit::FuncSignatureT<void, StageArgs*>());
    func->frame().setAvxEnabled();
    if (lanes_->isa() == Isa::kAvx512) func->frame().setAvx512Enabled();
    func->frame().addAttributes(asmjit::FuncAttributes::kX86_AVXCleanup);
    args_ = cc_.newIntPtr("args");
    func->setArg(0, args_);
    n_ = cc_.newInt64("n");
    i_ = cc_.newInt64("i");
    cc_.mov(n_, field(offsetof(StageArgs, n)));
    cc_.xor_(i_.r32(), i_.r32());
    stage_.traps = traps();
    look_at_values();
    prepare_divisions();
    if (!stage_.traps && spec_.packs.empty() && spec_.scans.empty()) return;
    const std::size_t active =
        lanes_->isa() == Isa::kAvx512 ? offsetof(StageArgs, active) : offsetof(StageArgs, active_lanes);
    lanes_->set_active(load_mask(*lanes_, field(active)), lanes_->constant_bool(false));
    reciprocals_.hoist();
  }
  void prepare_divisions() {
    std::vector<bool> computed = needed_;
    for (const StageInput& in : spec_.inputs) computed[at(in.value)] = false;
    reciprocals_.prepare(computed, [&](std::size_t i) -> std::optional<x86::Mem> {
      const BodyInst& in = spec_.body->insts[i];
      if (in.pull != Pull::kUniform) return std::nullopt;
      return slot_cell({SlotKind::kUniform, in.var});
    });
  }

  void emit_iteration(std::size_t turn) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (spec_.striped && needed_[i] && spec_.body->insts[i].pull == Pull::kElement)
        values_[i] = stripes_[i][turn];
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
      gathers_ |= by_index && !straight_[i] && !follows_index_[at(in.a)];
      computes_ |= in.pull == Pull::kApply && ++count >= kMany;
    }
  }

  [[nodiscard]] x86::Mem field(std::size_t offset) const {
    return x86::ptr(args_, static_cast<std::int32_t>(offset));
  }
  [[nodiscard]] std::size_t slot_number(const Slot& slot) {
    auto& slots = stage_.slots;
    const auto it = std::find(slots.begin(), slots.end(), slot);
    if (it != slots.end()) return static_cast<std::size_t>(it - slots.begin());
    slots.push_back(slot);
    pointers_.emplace_back();
    return slots.size() - 1;
  }
  [[nodiscard]] x86::Mem slot_cell(const Slot& slot) {
    return field(offsetof(StageArgs, slots) + 8 * slot_number(slot));
  }
  // The address in `slot`, in a register for the whole loop; first asked for in front of it.
  [[nodiscard]] x86::Gp pointer(const Slot& slot) {
    const std::size_t number = slot_number(slot);
    if (!pointers_[number].isValid()) {
      pointers_[number] = cc_.newIntPtr();
      cc_.mov(pointers_[number], field(offsetof(StageArgs, slots) + 8 * number));
    }
    return pointers_[number];
  }
  [[nodiscard]] x86::Gp lanes_pointer(const StageFold& f) {
    return pointer({SlotKind::kLanes, f.lanes, static_cast<std::int32_t>(storage_bytes(f.cell))});
  }
  [[nodiscard]] x86::Mem element(const Slot& slot, std::size_t bytes) {
    return x86::ptr(pointer(slot), i_, bytes == 8 ? 3 : bytes == 4 ? 2 : 0);
  }
  [[nodiscard]] const plan::Var& var(std::int32_t v) const { return (*spec_.vars)[at(v)]; }
  [[nodiscard]] Slot element_slot(std::int32_t v) const {
    return {SlotKind::kElement, v, static_cast<std::int32_t>(storage_bytes(var(v).storage))};
  }

  // Before the loop: what is the same for all iterations, and addresses.
  void hoist(std::size_t i) {
    const BodyInst& in = spec_.body->insts[i];
    switch (in.pull) {
      case Pull::kConst: values_[i] = constant(in); return;
      case Pull::kUniform:
        values_[i] = lanes_->broadcast(in.type, slot_cell({SlotKind::kUniform, in.var}));
        return;
      case Pull::kIndex: values_[i] = first_index(); return;
      case Pull::kWithin: values_[i] = lanes_->count_up(slot_cell({SlotKind::kInRow, 0})); return;
      case Pull::kPerSegment:
      case Pull::kSegment:
        values_[i] = lanes_->broadcast(in.type, slot_cell({SlotKind::kOfRow, static_cast<std::int32_t>(i)}));
        return;
      case Pull::kElement:
        static_cast<void>(pointer(element_slot(in.var)));
        if (spec_.striped) hoist_stripes(in.var);
        return;
      case Pull::kGather:
      case Pull::kSegGather:
      case Pull::kSegPlace:
        return straight_[i] ? static_cast<void>(pointer(straight_slot(i))) : hoist_gather(i, in);
      default: return;
    }
  }
  [[nodiscard]] Lane first_index() {
    const x86::Mem index = field(offsetof(StageArgs, index));
    if (!spec_.striped) return lanes_->count_up(index);
    const Lane stride = lanes_->broadcast(Type::kInt, field(offsetof(StageArgs, stride)));
    return lanes_->add_int(lanes_->broadcast(Type::kInt, index),
                           lanes_->mul_int(stride, lanes_->lane_numbers()));
  }
  [[nodiscard]] std::size_t stripes() const { return static_cast<std::size_t>(lanes_->count()); }
  // Where the parts of the lanes begin.
  void hoist_stripes(std::int32_t v) {
    if (stripe_pointers_.count(v) != 0) return;
    std::array<x86::Gp, kMostStripes>& at = stripe_pointers_[v];
    const x86::Gp step = cc_.newInt64();
    cc_.mov(step, field(offsetof(StageArgs, stride)));
    cc_.imul(step, step, static_cast<int>(storage_bytes(var(v).storage)));
    at[0] = pointer(element_slot(v));
    for (std::size_t l = 1; l < stripes(); ++l) {
      at[l] = cc_.newIntPtr();
      cc_.lea(at[l], x86::ptr(at[l - 1], step));
    }
  }
  void load_all_stripes() {
    stripes_.resize(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const BodyInst& in = spec_.body->insts[i];
      if (!needed_[i] || in.pull != Pull::kElement) continue;
      const Storage storage = var(in.var).storage;
      const std::size_t bytes = storage_bytes(storage);
      std::array<x86::Mem, kMostStripes> at;
      for (std::size_t l = 0; l < stripes(); ++l)
        at[l] = x86::ptr(stripe_pointers_[in.var][l], i_, bytes == 8 ? 3 : bytes == 4 ? 2 : 0);
      stripes_[i] = load_stripes(*lanes_, storage, at);
    }
  }
  [[nodiscard]] x86::Mem cell_of(const StageScan& s) {
    if (spec_.striped) return x86::ptr(pointer({SlotKind::kStripes, s.advance}));
    return slot_cell({SlotKind::kAdvance, s.advance});
  }
  [[nodiscard]] Lane constant(const BodyInst& in) {
    if (in.type == Type::kFloat) return lanes_->constant_float(in.real);
    return in.type == Type::kBool ? lanes_->constant_bool(in.imm != 0) : lanes_->constant_int(in.imm);
  }
  [[nodiscard]] const StageSegments* segments_of(std::size_t i) const {
    for (const StageSegments& s : spec_.segments)
      if (at(s.value) == i) return &s;
    return nullptr;
  }
  void hoist_gather(std::size_t i, const BodyInst& in) {
    const bool flat = in.pull == Pull::kGather;
    const Slot length = flat ? Slot{SlotKind::kLength, in.var} : Slot{SlotKind::kDescTotal, in.desc2};
    if (in.var != kNone) static_cast<void>(pointer({SlotKind::kBase, in.var}));
    if (const StageSegments* s = segments_of(i)) {
      static_cast<void>(pointer(scratch_slot(s->offset_scratch, int_storage())));
      static_cast<void>(pointer(scratch_slot(s->length_scratch, int_storage())));
      return;
    }
    limits_.resize(values_.size());
    limits_[i] = lanes_->broadcast(Type::kInt, slot_cell(length));
  }

  void emit_value(std::size_t i) {
    if (input_of_[i] != nullptr) {
      const StageInput& in = *input_of_[i];
      if (needed_[i])
        values_[i] = lanes_->load(in.storage,
                                  element(scratch_slot(in.scratch, in.storage), storage_bytes(in.storage)));
      return;
    }
    if (!needed_[i]) return;
    const BodyInst& in = spec_.body->insts[i];
    switch (in.pull) {
      case Pull::kElement: {
        const Storage storage = var(in.var).storage;
        const x86::Mem from = element(element_slot(in.var), storage_bytes(storage));
        if (gathers_ || (computes_ && lanes_->fills_line(storage))) ask_ahead(from, storage_bytes(storage));
        values_[i] = lanes_->load(storage, from);
        return;
      }
      case Pull::kGather:
      case Pull::kSegGather: values_[i] = straight_[i] ? emit_straight(i, in) : emit_gather(i, in); return;
      case Pull::kSegPlace: values_[i] = find_place(i, in).place; return;
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
      case Pull::kUniform:
      case Pull::kIndex: return;  // hoisted
      case Pull::kWithin:
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

  [[nodiscard]] Lane gather(const BodyInst& in, const x86::Gp& base, const Lane& place, const Lane& on) {
    const Storage storage = var(in.var).storage;
    if (storage != Storage::kB8 && follows_index_[at(in.a)])
      return lanes_->gather_near(storage, base, place, on);
    return lanes_->gather(storage, base, place, on);
  }

  struct Place {
    Lane place, on;
  };
  // Traps where the index is outside the vector, or outside the segment of it that belongs to the iteration.
  [[nodiscard]] Place find_place(std::size_t i, const BodyInst& in) {
    const StageSegments* segments = segments_of(i);
    const Lane index = values_[at(in.a)];
    const Lane limit = segments == nullptr ? limits_[i] : load_int(segments->length_scratch);
    // Lanes behind the end of a block read scratch that nobody has written.
    const Lane below = lanes_->below_unsigned(index, limit);
    const Lane inside = lanes_->and_bool(below, lanes_->active());
    const Lane place =
        segments == nullptr ? index : lanes_->add_int(load_int(segments->offset_scratch), index);
    if (in.b == kNone) {
      lanes_->trap_unless(below);
      return {place, inside};
    }
    const Lane wanted = values_[at(in.b)];
    lanes_->trap_where(lanes_->and_not_bool(wanted, inside));
    return {place, lanes_->and_bool(wanted, inside)};
  }
  [[nodiscard]] Lane emit_gather(std::size_t i, const BodyInst& in) {
    const Place found = find_place(i, in);
    return gather(in, pointer({SlotKind::kBase, in.var}), found.place, found.on);
  }
  [[nodiscard]] Slot straight_slot(std::size_t i) const {
    const auto bytes = static_cast<std::int32_t>(storage_bytes(var(spec_.body->insts[i].var).storage));
    return {SlotKind::kStraight, static_cast<std::int32_t>(i), bytes};
  }
  // A gather over a stretch: the elements stand side by side.
  [[nodiscard]] Lane emit_straight(std::size_t i, const BodyInst& in) {
    const Storage storage = var(in.var).storage;
    const Lane all = lanes_->load(storage, element(straight_slot(i), storage_bytes(storage)));
    if (in.b == kNone) return all;
    const Lane zero = in.type == Type::kFloat  ? lanes_->constant_float(0.0)
                      : in.type == Type::kBool ? lanes_->constant_bool(false)
                                               : lanes_->constant_int(0);
    return lanes_->select(values_[at(in.b)], all, zero);
  }
  [[nodiscard]] Lane load_int(std::int32_t scratch) {
    const Storage storage = int_storage();
    return lanes_->load(storage, element(scratch_slot(scratch, storage), storage_bytes(storage)));
  }
  [[nodiscard]] Storage int_storage() const { return lanes_->wide() ? Storage::kI64 : Storage::kI32; }

  void emit_output(const StageOutput& out) {
    const bool streaming = spec_.streaming && out.slot.kind == SlotKind::kOut;
    lanes_->store(out.storage, element(out.slot, storage_bytes(out.storage)), values_[at(out.value)],
                  streaming);
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
      const x86::Gp to = pointer(advance_slot(p));
      if (p.value == kNone) {
        cc_.add(to, kept.count);
        continue;
      }
      lanes_->store_kept(p.storage, x86::ptr(to), values_[at(p.value)], kept);
      const std::size_t bytes = storage_bytes(p.storage);
      cc_.lea(to, x86::ptr(to, kept.count, bytes == 8 ? 3 : bytes == 4 ? 2 : 0));
    }
  }

  void step_index() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Pull pull = spec_.body->insts[i].pull;
      const bool counts = pull == Pull::kIndex || pull == Pull::kWithin;
      if (!needed_[i] || input_of_[i] != nullptr || !counts) continue;
      const Lane step = lanes_->constant_int(spec_.striped ? 1 : lanes_->count());
      const x86::Vec v = values_[i].v;
      lanes_->wide() ? cc_.vpaddq(v, v, step.v) : cc_.vpaddd(v, v, step.v);
    }
  }
  void advance(const asmjit::Label& loop) {
    cc_.add(i_, spec_.striped ? kStripeTurn : lanes_->count());
    if (spec_.striped)
      cc_.cmp(i_, field(offsetof(StageArgs, stride)));
    else
      cc_.cmp(i_, n_);
    cc_.jb(loop);
  }

  void end_function() {
    if (stage_.traps) {
      const x86::Gp any = cc_.newInt64();
      lanes_->any_to(any, lanes_->trapped());
      cc_.or_(field(offsetof(StageArgs, trapped)), any);
    }
    cc_.ret();
    cc_.endFunc();
  }

  x86::Compiler& cc_;
  const StageSpec& spec_;
  Stage& stage_;
  std::unique_ptr<Lanes> lanes_;
  ScanEmitter scans_;
  Reciprocals reciprocals_;
  std::vector<bool> needed_;
  std::vector<Lane> values_;
  std::vector<Lane> limits_;    // of gathers
  std::vector<bool> straight_;  // gathers that are loads
  std::vector<bool> follows_index_;
  std::vector<const StageInput*> input_of_;
  std::vector<x86::Gp> pointers_;                                              // by slot
  std::map<std::int32_t, std::array<x86::Gp, kMostStripes>> stripe_pointers_;  // by vector
  std::vector<std::array<Lane, kStripeTurn>> stripes_;                         // by value
  bool gathers_ = false, computes_ = false;
  x86::Gp args_, n_, i_;
};

struct EmitError {
  std::string text;
};

// What asmjit refuses ends here: it goes on with null pointers otherwise.
class Throwing final : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) override {
    throw EmitError{message};
  }
};

void need(asmjit::Error error) {
  if (error != asmjit::kErrorOk) throw EmitError{asmjit::DebugUtils::errorAsString(error)};
}

std::unique_ptr<x86::Compiler> attached_to(asmjit::CodeHolder& code) {
  auto cc = std::make_unique<x86::Compiler>();
  const asmjit::Error error = code.attach(cc.get());
  if (error != asmjit::kErrorOk)
    static_cast<void>(cc.release());  // asmjit cannot destroy what is half attached
  need(error);
  return cc;
}

}  // namespace

bool compile_stage(asmjit::JitRuntime& runtime, Isa isa, const StageSpec& spec, bool want_listing,
                   Stage& stage, std::string& reason) {
  asmjit::StringLogger logger;
  Throwing errors;
  asmjit::CodeHolder code;
  try {
    need(code.init(runtime.environment()));
    if (want_listing) code.setLogger(&logger);
    const std::unique_ptr<x86::Compiler> cc = attached_to(code);
    code.setErrorHandler(&errors);  // to attach may not throw
    StageEmitter(*cc, isa, spec, stage).emit();
    need(cc->finalize());
    if (want_listing) stage.listing = logger.data();
    need(runtime.add(&stage.function, &code));
  } catch (const EmitError& e) {
    reason = "asmjit: " + e.text;
    return false;
  }
  stage.code_bytes = code.codeSize();  // nothing throws any more: who has a function has it counted
  return true;
}

}  // namespace nvm::vm::cpu
