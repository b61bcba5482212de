// Turns a kernel of a plan into stages and sinks: decides what each stage evaluates, and where values lie in
// scratch on their way between stages, routines and sinks.
#include "vm/cpu/codegen/kernel.h"

#include <algorithm>
#include <set>

#include "bytecode/base/at.h"
#include "bytecode/base/check.h"
#include "vm/cpu/code_memory.h"
#include "vm/cpu/codegen/runs.h"
#include "vm/cpu/codegen/stripes.h"
#include "vm/cpu/refuse.h"

namespace nvm::vm::cpu {

namespace {

using plan::DescForm;
using plan::Kernel;
using plan::Sink;
using plan::SinkKind;
using soac::BodyInst;
using soac::kNone;
using soac::Pull;

void classify(const Sink& s, KernelCode& code) {
  code.scans |= s.kind == SinkKind::kScan || s.kind == SinkKind::kSegScan;
  code.counts |= s.kind == SinkKind::kCount;
  code.serial |= s.kind == SinkKind::kScatter;
}

class KernelCompiler {
 public:
  KernelCompiler(const plan::Plan& plan, std::size_t k, CodeMemory& memory)
      : plan_(plan),
        kernel_(plan.kernels[k]),
        memory_(memory),
        name_((plan.name.empty() ? "" : plan.name + " ") + "kernel" + std::to_string(k)),
        routines_(routines_of(memory.isa())),
        code_(std::make_unique<KernelCode>()),
        counts_(kernel_.sinks.size(), nullptr) {
    code_->name = name_;
    code_->body = kernel_.body;
    sweep_of_ = plan::sweeps(kernel_);
    std::int32_t most = kNone;
    for (const std::int32_t s : sweep_of_) most = std::max(most, s);
    sweeps_.resize(at(most + 1));
  }
  ~KernelCompiler() {
    if (code_ != nullptr) release_code(*code_, memory_);  // some stages are, the next was refused
  }
  KernelCompiler(const KernelCompiler&) = delete;
  KernelCompiler& operator=(const KernelCompiler&) = delete;

  std::unique_ptr<KernelCode> compile(std::string& reason) {
    code_->space = kernel_.space;
    if (plan_.lengths[at(kernel_.space)] == plan::LengthKind::kOne) {
      code_->one = true;
      return std::move(code_);
    }
    if (parts_each_segment()) {
      reason = refuse_text(Refuse::kSegments);
      return nullptr;
    }
    flatten_single_segments();
    for (const Sink& s : kernel_.sinks) classify(s, *code_);
    choose_cut();
    choose_scans();
    code_->uneven = kernel_.repeat.has_value();
    code_->in_waves = !code_->scans && !code_->counts && code_->cut == kNone && !code_->uneven;
    // Counts come first: the others ask them where to write.
    for (std::size_t i = 0; i < kernel_.sinks.size(); ++i)
      if (kernel_.sinks[i].kind == SinkKind::kCount) add_count(i);
    for (std::size_t i = 0; i < kernel_.sinks.size(); ++i) add_sink(i);
    if (!reason_.empty() || !compile_stages()) {
      reason = reason_;
      return nullptr;
    }
    lay_out(*code_);
    compile_in_parts(*code_, plan_, kernel_, memory_);
    compile_by_segment(*code_, plan_, kernel_, memory_);
    return std::move(code_);
  }

 private:
  void refuse(Refuse r) { reason_ = refuse_text(r); }
  [[nodiscard]] const plan::Var& var(std::int32_t v) const { return plan_.vars[at(v)]; }
  [[nodiscard]] bool single(std::int32_t desc) const { return var(desc).form == DescForm::kOneSegment; }
  [[nodiscard]] Storage int_storage() const {
    return plan_.int_bits == IntBits::k64 ? Storage::kI64 : Storage::kI32;
  }
  [[nodiscard]] Storage cell_storage(Type t) const {
    return t == Type::kFloat ? Storage::kF64 : t == Type::kBool ? Storage::kB8 : int_storage();
  }

  // Left to the primitives, which take a segment at a time.
  [[nodiscard]] bool parts_each_segment() const {
    return std::any_of(kernel_.sinks.begin(), kernel_.sinks.end(),
                       [](const Sink& s) { return s.kind == SinkKind::kPartition && s.desc != kNone; });
  }

  // Under one segment the number is 0, the index within is the index, and one value per segment is one value.
  void flatten_single_segments() {
    for (BodyInst& in : code_->body.insts) {
      if (in.desc == kNone || !single(in.desc)) continue;
      switch (in.pull) {
        case Pull::kSegment: in.pull = Pull::kConst; break;
        case Pull::kWithin: in.pull = Pull::kIndex; break;
        case Pull::kPerSegment: in.pull = Pull::kUniform; break;
        default: break;
      }
    }
  }

  // Chunks may follow one segment structure; flat folds of FLOAT want chunks of whole fold blocks.
  void choose_cut() {
    std::set<std::int32_t> descs;
    bool flat_float = false;
    for (const Sink& s : kernel_.sinks) {
      if (s.desc != kNone && !single(s.desc)) descs.insert(s.desc);
      const bool flat = s.kind == SinkKind::kReduce || s.kind == SinkKind::kScan;
      flat_float |= flat && s.type == Type::kFloat && s.filter == kNone;
    }
    if (!descs.empty()) code_->cut = *descs.begin();
    code_->whole = descs.size() > 1 || (flat_float && !descs.empty());
  }

  // INT is exact in any order: where all scans are of it, over the whole space, stages run them.
  void choose_scans() {
    const auto runs = [](const Sink& s) {
      const bool known = s.combine == Scalar::kAdd || s.combine == Scalar::kMax || s.combine == Scalar::kMin;
      return s.kind == SinkKind::kScan && s.type == Type::kInt && known;
    };
    code_->runs_scans = code_->scans && !code_->counts;
    for (const Sink& s : kernel_.sinks)
      if (s.kind == SinkKind::kScan || s.kind == SinkKind::kSegScan) code_->runs_scans &= runs(s);
  }

  // The scratch array where a stage leaves `value` in `storage`; asked for by both stages if scans split
  // them.
  std::int32_t scratch_for(std::vector<StageOutput>& outputs, std::int32_t value, Storage storage) {
    for (const StageOutput& out : outputs)
      if (out.value == value && out.storage == storage && out.slot.kind == SlotKind::kScratch)
        return out.slot.id;
    const std::int32_t id = new_scratch();
    outputs.push_back({value, storage, scratch_slot(id, storage)});
    return id;
  }
  // Elements of a vector as they are need no scratch.
  void find_values(SinkSpec& spec, std::vector<StageOutput>& outputs, std::int32_t value) {
    const BodyInst& in = code_->body.insts[at(value)];
    if (in.pull == Pull::kElement && var(in.var).storage == spec.cell) {
      spec.direct = in.var;
    } else {
      spec.value = scratch_for(outputs, value, spec.cell);
    }
  }
  std::int32_t new_scratch() { return code_->scratch_count++; }

  // Flags are left by the sweep stage, or where no scan needs that stage in front, by the main stage.
  std::int32_t flag_scratch(std::int32_t value, std::int32_t sweep) {
    return scratch_for(code_->scans ? sweeps_[at(sweep)] : main_, value, Storage::kB8);
  }

  [[nodiscard]] SinkSpec spec_of(std::size_t i) {
    const Sink& s = kernel_.sinks[i];
    SinkSpec spec;
    spec.sink = &s;
    spec.number = static_cast<std::int32_t>(i);
    spec.cell = cell_storage(s.type);
    if (s.out != kNone) spec.out_storage = var(s.out).storage;
    if (s.filter != kNone) {
      spec.count = counts_[at(s.filter)];
      spec.packs = s.kind != SinkKind::kScatter && packs_in_stage();
      if (!spec.packs) spec.flag = flag_scratch(kernel_.sinks[at(s.filter)].value, sweep_of_[at(s.filter)]);
      if (spec.count == nullptr) refuse(Refuse::kFilterOrder);
    }
    if (s.combine != Scalar::kNoScalar) {
      spec.fold = routines_.fold(s.combine, spec.cell);
      if (spec.fold == nullptr) refuse(Refuse::kNoFold);
    }
    return spec;
  }
  void keep(std::unique_ptr<SinkCode> sink) { code_->sinks.push_back(std::move(sink)); }

  // Where no scan stands in front.
  [[nodiscard]] bool packs_in_stage() const { return !code_->scans; }
  // The main stage does it for the sink added last.
  void pack(std::int32_t value, Storage storage, std::int32_t flag) {
    packs_.push_back({value, storage, flag, static_cast<std::int32_t>(code_->advanced.size())});
    code_->advanced.push_back(code_->sinks.back().get());
  }

  void add_count(std::size_t i) {
    SinkSpec spec = spec_of(i);
    spec.packs = packs_in_stage();
    if (!spec.packs) spec.flag = flag_scratch(kernel_.sinks[i].value, sweep_of_[i]);
    auto count = make_count(spec);
    count->sweep = sweep_of_[i];
    counts_[i] = count.get();
    keep(std::move(count));
    if (spec.packs) pack(kNone, Storage::kI64, kernel_.sinks[i].value);
    if (kernel_.sinks[i].desc != kNone) add_kept_counts(i);
  }

  void add_kept_counts(std::size_t i) {
    const Sink& s = kernel_.sinks[i];
    SinkSpec spec = spec_of(i);
    spec.flag = scratch_for(main_, s.value, Storage::kB8);
    keep(make_kept_counts(spec));
    code_->made.push_back({s.out_desc, s.out_length});
  }

  // The count of the flags that are summed here by the same segments; null: there is none. Sums of all flags
  // cost the loop nothing: without them it was 15 % slower with AVX-512 (the median of 10 million integers).
  [[nodiscard]] const Sink* counted(const Sink& s) const {
    if (s.kind != SinkKind::kSegReduce || s.combine != Scalar::kAdd || s.filter != kNone) return nullptr;
    const BodyInst& in = code_->body.insts[at(s.value)];
    if (in.pull != Pull::kApply || in.scalar != Scalar::kBtoI) return nullptr;
    const auto found = std::find_if(kernel_.sinks.begin(), kernel_.sinks.end(), [&](const Sink& c) {
      return c.kind == SinkKind::kCount && c.value == in.a && c.desc == s.desc;
    });
    return found == kernel_.sinks.end() ? nullptr : &*found;
  }

  void add_sink(std::size_t i) {
    if (const Sink* count = counted(kernel_.sinks[i])) {
      SinkSpec spec;
      spec.sink = &kernel_.sinks[i];
      spec.out_storage = var(spec.sink->out).storage;
      return keep(make_counted(spec, *count));
    }
    switch (kernel_.sinks[i].kind) {
      case SinkKind::kStore: return add_store(i);
      case SinkKind::kReduce: return add_reduce(i);
      case SinkKind::kScan: return add_scan(i, &make_scan);
      case SinkKind::kSegReduce: return add_seg_reduce(i);
      case SinkKind::kSegScan: return add_scan(i, &make_seg_scan);
      case SinkKind::kCount: return;
      case SinkKind::kScatter: return add_scatter(i);
      case SinkKind::kPartition: return add_partition(i);
      case SinkKind::kRank:
      case SinkKind::kRandom:
      case SinkKind::kSegdes: NVM_CHECK(false, "a primitive's kernel is not compiled");
    }
  }

  void add_store(std::size_t i) {
    const Sink& s = kernel_.sinks[i];
    SinkSpec spec = spec_of(i);
    if (s.filter != kNone) {
      if (!spec.packs) spec.value = scratch_for(main_, s.value, spec.out_storage);
      code_->aside_bytes += static_cast<std::int64_t>(storage_bytes(spec.out_storage));
      keep(make_filtered_store(spec));
      if (spec.packs) pack(s.value, spec.out_storage, kernel_.sinks[at(s.filter)].value);
      return;
    }
    if (const auto runs = kernel_.repeat ? std::nullopt : runs_of_store(kernel_, plan_.vars, s)) {
      spec.direct = kernel_.body.insts[at(s.value)].var;
      code_->body.insts[at(s.value)] = {};
      return keep(make_run_gather(spec, *runs));
    }
    const auto bytes = static_cast<std::int32_t>(storage_bytes(spec.out_storage));
    main_.push_back({s.value, spec.out_storage, {SlotKind::kOut, s.out, bytes}});
    code_->stored.push_back(s.out);
  }

  // Both sides are packed, each by its flags.
  void add_partition(std::size_t i) {
    const Sink& s = kernel_.sinks[i];
    SinkSpec spec = spec_of(i);
    const std::int32_t kept = kernel_.sinks[at(s.filter)].value;
    BodyInst inverse{Pull::kApply, Type::kBool, Scalar::kNot};
    inverse.a = kept;
    const std::int32_t others = code_->body.add(inverse);
    if (!spec.packs) spec.value = scratch_for(main_, s.value, spec.out_storage);
    code_->aside_bytes += static_cast<std::int64_t>(storage_bytes(spec.out_storage));
    for (const bool side : {false, true}) {
      SinkSpec one = spec;
      if (!spec.packs && !side) one.flag = scratch_for(main_, others, Storage::kB8);
      keep(make_partition_side(one, side));
      if (spec.packs) pack(s.value, spec.out_storage, side ? kept : others);
    }
  }

  void add_reduce(std::size_t i) {
    const Sink& s = kernel_.sinks[i];
    SinkSpec spec = spec_of(i);
    if (s.filter == kNone) {
      const BodyInst& in = code_->body.insts[at(s.value)];
      const bool plain = in.pull == Pull::kElement && var(in.var).storage == spec.cell;
      spec.in_lanes = !plain && s.type != Type::kBool;
      if (!spec.in_lanes) find_values(spec, main_, s.value);
      keep(make_reduce(spec));
      if (!spec.in_lanes) return;
      folds_.push_back({s.value, s.combine, spec.cell, static_cast<std::int32_t>(code_->folds.size())});
      code_->folds.push_back(code_->sinks.back().get());
      return;
    }
    if (!spec.packs) spec.value = scratch_for(main_, s.value, spec.cell);
    code_->aside_bytes += static_cast<std::int64_t>(storage_bytes(spec.cell));
    code_->folds_kept = true;
    keep(make_kept_reduce(spec));
    if (spec.packs) pack(s.value, spec.cell, kernel_.sinks[at(s.filter)].value);
  }

  void add_seg_reduce(std::size_t i) {
    const Sink& s = kernel_.sinks[i];
    SinkSpec spec = spec_of(i);
    find_values(spec, main_, s.value);
    keep(make_seg_reduce(spec));
  }

  void add_scan(std::size_t i, std::unique_ptr<SinkCode> (*make)(const SinkSpec&)) {
    const Sink& s = kernel_.sinks[i];
    SinkSpec spec = spec_of(i);
    if (code_->runs_scans) {
      spec.runs = true;
      keep(make(spec));
      code_->sinks.back()->sweep = sweep_of_[i];
      const auto advance = static_cast<std::int32_t>(code_->advanced.size());
      scans_.push_back({static_cast<std::int32_t>(i), s.value, s.combine, false, advance});
      code_->advanced.push_back(code_->sinks.back().get());
      return;
    }
    find_values(spec, sweeps_[at(sweep_of_[i])], s.value);
    spec.result = new_scratch();
    for (std::size_t v = 0; v < code_->body.insts.size(); ++v) {
      const BodyInst& in = code_->body.insts[v];
      if (in.pull == Pull::kScanned && in.a == static_cast<std::int32_t>(i))
        scanned_.push_back({static_cast<std::int32_t>(v), spec.cell, spec.result});
    }
    keep(make(spec));
    code_->sinks.back()->sweep = sweep_of_[i];
  }

  void add_scatter(std::size_t i) {
    const Sink& s = kernel_.sinks[i];
    SinkSpec spec = spec_of(i);
    if (const auto runs = runs_of_scatter(kernel_.body, s)) {
      spec.cell = spec.out_storage;
      find_values(spec, main_, s.value);
      if (kernel_.body.insts[at(s.index)].pull == Pull::kSegPlace) code_->body.insts[at(s.index)] = {};
      return keep(make_run_scatter(spec, *runs));
    }
    spec.cell = int_storage();
    spec.value = scratch_for(main_, s.value, spec.out_storage);
    spec.index = scratch_for(main_, s.index, int_storage());
    if (s.flag != kNone) spec.flag = scratch_for(main_, s.flag, Storage::kB8);
    keep(make_scatter(spec));
  }

  [[nodiscard]] StageSpec stage_spec(const std::vector<StageOutput>& outputs) const {
    StageSpec spec;
    spec.body = &code_->body;
    spec.vars = &plan_.vars;
    spec.int_bits = plan_.int_bits;
    spec.outputs = outputs;
    spec.stripes = code_->stripes;
    spec.repeat = kernel_.repeat ? &*kernel_.repeat : nullptr;
    return spec;
  }

  // Per-segment pulls of `spec` become expansions in front of the stage and loads in it.
  void provide(StageSpec& spec) {
    const std::vector<bool> needed = needed_values(spec);
    const Storage ints = int_storage();
    const int int_bytes = static_cast<int>(storage_bytes(ints));
    for (std::size_t i = 0; i < needed.size(); ++i) {
      const BodyInst& in = code_->body.insts[i];
      const auto v = static_cast<std::int32_t>(i);
      if (!needed[i]) continue;
      if (in.pull == Pull::kPerSegment) {
        const Storage storage = var(in.var).storage;
        const int bytes = static_cast<int>(storage_bytes(storage));
        spec.inputs.push_back({v, storage, provided({Expand::kTable, in.desc, in.var, bytes, 0})});
      } else if (in.pull == Pull::kSegment) {
        spec.inputs.push_back({v, ints, provided({Expand::kSegment, in.desc, kNone, int_bytes, 0})});
      } else if (in.pull == Pull::kWithin) {
        spec.inputs.push_back({v, ints, provided({Expand::kWithin, in.desc, kNone, int_bytes, 0})});
      } else if ((in.pull == Pull::kSegGather || in.pull == Pull::kSegPlace) &&
                 (in.desc == kNone || !single(in.desc))) {
        spec.segments.push_back({v, provided({Expand::kOffset, in.desc, in.desc2, int_bytes, 0}),
                                 provided({Expand::kLength, in.desc, in.desc2, int_bytes, 0})});
      }
    }
  }
  std::int32_t provided(Provider p) {
    for (const Provider& q : code_->providers)
      if (q.what == p.what && q.desc == p.desc && q.source == p.source && q.bytes == p.bytes)
        return q.scratch;
    p.scratch = new_scratch();
    code_->providers.push_back(p);
    return p.scratch;
  }

  bool compile_stages() {
    code_->stripes = code_->runs_scans && code_->scratch_count == 0 && may_stripe(kernel_, code_->body);
    code_->stripes_alone = computes_little(code_->body);
    code_->sweeps.resize(sweeps_.size());
    for (std::size_t s = 0; s < sweeps_.size(); ++s) {
      StageSpec sweep = stage_spec(sweeps_[s]);
      sweep.inputs = scanned_;  // of later sweeps too: not needed, hence not read
      for (std::size_t before = 0; before < s; ++before) add_left(sweep, sweeps_[before]);
      if (code_->runs_scans) sweep.scans = scans_before(static_cast<std::int32_t>(s));
      provide(sweep);
      if (!(sweeps_[s].empty() && sweep.scans.empty()) &&
          !memory_.compile(sweep, name_ + ".sweep", code_->sweeps[s], reason_))
        return false;
    }
    StageSpec& main = code_->main_spec;
    main = stage_spec(main_);
    main.all_traps = true;
    main.folds = folds_;
    main.packs = packs_;
    main.scans = scans_;
    main.inputs = scanned_;
    if (code_->scans)
      for (const auto& sweep : sweeps_) add_left(main, sweep);
    provide(main);
    if (code_->sweeps.empty()) code_->row_spec = row_spec(main);
    code_->blocked =
        code_->scratch_count > 0 || !folds_.empty() || code_->folds_kept || (code_->whole && !packs_.empty());
    const std::vector<bool> needed = needed_values(main);
    const bool idle = std::none_of(needed.begin(), needed.end(), [](bool n) { return n; });
    if (!idle && !memory_.compile(main, name_, code_->main, reason_)) return false;
    const auto striped = [](const Stage& stage) { return stage.striped != nullptr; };
    code_->stripes &=
        striped(code_->main) && std::all_of(code_->sweeps.begin(), code_->sweeps.end(), striped);
    return true;
  }
  // What sweep s runs: the scans of earlier ones, and the totals of its own.
  [[nodiscard]] std::vector<StageScan> scans_before(std::int32_t s) const {
    std::vector<StageScan> scans;
    for (StageScan scan : scans_) {
      if (sweep_of_[at(scan.sink)] > s) continue;
      scan.total = sweep_of_[at(scan.sink)] == s;
      scans.push_back(scan);
    }
    return scans;
  }
  // What a stage in front has left need not be computed again.
  static void add_left(StageSpec& spec, const std::vector<StageOutput>& outputs) {
    for (const StageOutput& out : outputs) {
      const auto same = [&](const StageInput& in) { return in.value == out.value; };
      if (std::none_of(spec.inputs.begin(), spec.inputs.end(), same))
        spec.inputs.push_back({out.value, out.storage, out.slot.id});
    }
  }

  const plan::Plan& plan_;
  const Kernel& kernel_;
  CodeMemory& memory_;
  std::string name_;
  const Routines& routines_;
  std::unique_ptr<KernelCode> code_;
  std::vector<const SinkCode*> counts_;           // by sink
  std::vector<std::int32_t> sweep_of_;            // by sink
  std::vector<std::vector<StageOutput>> sweeps_;  // what the stage of each sweep leaves
  std::vector<StageOutput> main_;
  std::vector<StageInput> scanned_;
  std::vector<StageFold> folds_;
  std::vector<StagePack> packs_;
  std::vector<StageScan> scans_;
  std::string reason_;
};

}  // namespace

std::unique_ptr<KernelCode> compile_kernel(const plan::Plan& plan, std::size_t k, CodeMemory& memory,
                                           std::string& reason) {
  return KernelCompiler(plan, k, memory).compile(reason);
}

void release_code(KernelCode& code, CodeMemory& memory) {
  const auto release = [&](KernelCode& one) {
    for (Stage& sweep : one.sweeps) memory.release(sweep);
    for (Stage* stage : {&one.main, &one.streaming, &one.row}) memory.release(*stage);
    one.strided.release(memory);
  };
  release(code);
  if (code.in_parts != nullptr) release(*code.in_parts->code);
  for (const auto* outer : {&code.outer, &code.outer_many})
    if (*outer != nullptr) release(*(*outer)->code);
}

}  // namespace nvm::vm::cpu
