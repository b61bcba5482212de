// A plan's kernels to source and launches. A kernel is one launch where its sinks agree on tiles; otherwise
// scans go first and leave their results in scratch, then reductions, then the rest.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "bytecode/table/identities.h"
#include "gpu/codegen/lanes.h"
#include "gpu/codegen/writer.h"

namespace nvm::gpu {

namespace {

const char* const kPreludeText =
#include <prelude_text.inc>
    ;
const char* const kCarryText =
#include <carry_text.inc>
    ;
const char* const kTreeText =
#include <tree_text.inc>
    ;
const char* const kTileText =
#include <tile_text.inc>
    ;
const char* const kWholeText =
#include <whole_text.inc>
    ;
const char* const kKeptText =
#include <kept_text.inc>
    ;

bool scans(const Sink& s) { return s.kind == SinkKind::kScan || s.kind == SinkKind::kSegScan; }
// Of what a filter keeps: it goes with the count.
bool folds(const Sink& s) {
  return scans(s) || (s.kind == SinkKind::kReduce && s.filter == kNone) || s.kind == SinkKind::kSegReduce;
}

class PassChooser {
 public:
  explicit PassChooser(KernelWriter& k) : k_(k) {}

  void write() {
    if (!k_.kernel.sinks.empty() && k_.sink(0).kind == SinkKind::kRandom) return write_random(k_);
    add_kept_counts();
    const auto count = static_cast<std::int32_t>(k_.kernel.sinks.size());
    for (std::int32_t s = 0; s < count; ++s) {
      const Sink& sink = k_.sink(s);
      if (sink.kind == SinkKind::kScatter) begin_scatter(k_, s);
      if (sink.kind == SinkKind::kSegReduce) fill_identities(k_, s);
    }
    passes();
    for (std::int32_t s = 0; s < count; ++s)
      if (k_.sink(s).kind == SinkKind::kScatter) finish_scatter(k_, s);
  }

 private:
  // A count by segments is also a segmented sum of its flags.
  void add_kept_counts() {
    const std::size_t count = k_.kernel.sinks.size();
    for (std::size_t s = 0; s < count; ++s) {
      const Sink from = k_.kernel.sinks[s];
      if (from.kind != SinkKind::kCount || from.desc == kNone) continue;
      BodyInst flag;
      flag.pull = Pull::kApply;
      flag.type = Type::kInt;
      flag.scalar = Scalar::kBtoI;
      flag.a = from.value;
      Sink sum;
      sum.kind = SinkKind::kSegReduce;
      sum.value = k_.kernel.body.add(flag);
      sum.combine = Scalar::kAdd;
      sum.type = Type::kInt;
      sum.out = from.out_desc;
      sum.desc = from.desc;
      k_.kernel.sinks.push_back(sum);
    }
  }

  std::vector<std::int32_t> all_where(bool (*wanted)(const Sink&)) const {
    std::vector<std::int32_t> out;
    for (std::int32_t s = 0; s < static_cast<std::int32_t>(k_.kernel.sinks.size()); ++s)
      if (wanted(k_.sink(s))) out.push_back(s);
    return out;
  }
  [[nodiscard]] VarId shape(std::int32_t s) const {
    const Sink& sink = k_.sink(s);
    return sink.kind == SinkKind::kSegReduce || sink.kind == SinkKind::kSegScan ? sink.desc : kNone;
  }

  void passes() {
    const auto every = all_where([](const Sink&) { return true; });
    const auto folded = all_where(folds);
    const auto tiled = all_where([](const Sink& s) { return folds(s) && s.kind != SinkKind::kReduce; });
    const auto counted = all_where([](const Sink& s) { return s.kind == SinkKind::kCount; });
    if (tiled.empty() && counted.empty())
      return folded.empty() ? write_map(k_, {"", kNone, every}) : reduce({"", kNone, every});
    const std::vector<std::int32_t> sweep = plan::sweeps(k_.kernel);
    const bool deep = std::any_of(sweep.begin(), sweep.end(), [](std::int32_t s) { return s > 0; });
    const bool one_shape = std::all_of(folded.begin(), folded.end(),
                                       [&](std::int32_t s) { return shape(s) == shape(folded[0]); });
    if (one_shape && !deep) return write_tiles(k_, {"", folded.empty() ? kNone : shape(folded[0]), every});
    for (std::int32_t s = 0; s < plan::kMostSweeps; ++s) {
      std::vector<std::int32_t> swept = all_where(scans);
      std::erase_if(swept, [&](std::int32_t i) { return sweep[static_cast<std::size_t>(i)] != s; });
      by_shape("_scan", std::move(swept), true);
    }
    by_shape("_sum", all_where([](const Sink& s) { return s.kind == SinkKind::kSegReduce; }), false);
    const auto flat =
        all_where([](const Sink& s) { return s.kind == SinkKind::kReduce && s.filter == kNone; });
    if (!flat.empty()) reduce({"_fold", kNone, flat, false, false});
    const auto rest = all_where([](const Sink& s) { return !folds(s); });
    if (rest.empty() && k_.trapping().empty()) return;
    if (counted.empty())
      write_map(k_, {"_rest", kNone, rest});
    else
      write_tiles(k_, {"_rest", kNone, rest});
  }

  // Those that shared memory has no room for are passes of their own.
  void reduce(const Pass& pass) {
    Pass part = pass;
    part.sinks.clear();
    int staged = 0;
    for (const std::int32_t s : pass.sinks) {
      if (k_.sink(s).kind == SinkKind::kReduce && !any_order(k_.sink(s).type) && staged++ == kMostStaged) {
        write_reduce(k_, part);
        part = {pass.name + "_more" + std::to_string(s), kNone, {}, false, false};
        staged = 1;
      }
      part.sinks.push_back(s);
    }
    write_reduce(k_, part);
  }

  void by_shape(const std::string& name, std::vector<std::int32_t> sinks, bool keep) {
    while (!sinks.empty()) {
      Pass pass{name + std::to_string(sinks[0]), shape(sinks[0]), {}, keep, false};
      const auto other = std::stable_partition(sinks.begin(), sinks.end(),
                                               [&](std::int32_t s) { return shape(s) == pass.shape; });
      pass.sinks.assign(sinks.begin(), other);
      sinks.erase(sinks.begin(), other);
      write_tiles(k_, pass);
    }
  }

  KernelWriter& k_;
};

// Offsets of a descriptor made by a filter: the exclusive sum of its counts; the executor adds the last one.
plan::Kernel offsets_kernel(plan::Plan& plan, VarId desc, VarId& offsets) {
  plan::Var counts = plan.vars[static_cast<std::size_t>(desc)];
  plan::Var made;
  made.role = plan::VarRole::kTemp;
  made.storage = Storage::kI64;
  made.length = counts.length;
  offsets = static_cast<VarId>(plan.vars.size());
  plan.vars.push_back(made);
  plan::Kernel k;
  k.space = counts.length;
  BodyInst pull;
  pull.pull = Pull::kElement;
  pull.var = desc;
  Sink scan;
  scan.kind = SinkKind::kScan;
  scan.value = k.body.add(pull);
  scan.combine = Scalar::kAdd;
  BodyInst scanned;
  scanned.pull = Pull::kScanned;
  scanned.a = 0;
  Sink store;
  store.value = k.body.add(scanned);
  store.out = offsets;
  k.sinks = {scan, store};
  return k;
}

// Kernels in order, with an offsets kernel behind each that makes a descriptor that a later one follows.
// One of computed lengths is made with them.
void add_offsets(Code& code) {
  plan::Plan& plan = code.plan;
  std::set<VarId> followed;
  for (const plan::Kernel& k : plan.kernels) {
    for (const BodyInst& in : k.body.insts)
      for (const VarId d : {in.desc, in.desc2}) followed.insert(d);
    for (const Sink& s : k.sinks) followed.insert(s.desc);
  }
  // What follows one behind this plan finds the offsets there, too.
  for (std::size_t d = 0; d < plan.vars.size(); ++d)
    if (plan.vars[d].is_desc && plan.vars[d].role == plan::VarRole::kOutput)
      followed.insert(static_cast<VarId>(d));
  code.offsets_of.assign(plan.vars.size(), kNone);
  code.differs_of.assign(plan.vars.size(), kNone);
  std::vector<plan::Kernel> kernels;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    plan::Kernel& k = plan.kernels[i];
    std::vector<VarId> made;
    for (const Sink& s : k.sinks)
      if (s.out_desc != kNone && followed.contains(s.out_desc) && s.kind != SinkKind::kSegdes)
        made.push_back(s.out_desc);
    if (!k.sinks.empty() && k.sinks.front().kind == SinkKind::kSegdes) {
      const auto d = static_cast<std::size_t>(k.sinks.front().out_desc);
      std::tie(code.offsets_of[d], code.differs_of[d]) = lower_segdes(plan, k);
    }
    kernels.push_back(std::move(k));
    code.kernels.emplace_back().origin = static_cast<std::int32_t>(i);
    for (const VarId d : made) {
      if (plan.vars[static_cast<std::size_t>(d)].form != plan::DescForm::kIrregular) continue;
      kernels.push_back(offsets_kernel(plan, d, code.offsets_of[static_cast<std::size_t>(d)]));
      code.kernels.emplace_back();
    }
  }
  plan.kernels = std::move(kernels);
  code.offsets_of.resize(plan.vars.size(), kNone);
  code.differs_of.resize(plan.vars.size(), kNone);
}

// A partition is a scatter by the ranks of its flags, which its count becomes a scan of. Where a second side
// begins is checked: then no two places are equal.
class PartitionLowering {
 public:
  PartitionLowering(plan::Kernel& k, Sink& s) : k_(k), s_(s) {}

  void run() {
    Sink& count = k_.sinks[static_cast<std::size_t>(s_.filter)];
    const std::int32_t flag = count.value;
    const bool segmented = s_.desc != kNone;
    count.kind = segmented ? SinkKind::kSegScan : SinkKind::kScan;
    count.desc = s_.desc;
    count.combine = Scalar::kAdd;
    count.type = Type::kInt;
    count.value = k_.body.apply(Scalar::kBtoI, Type::kInt, flag);
    const std::int32_t rank = pull({.pull = Pull::kScanned, .a = s_.filter});
    const std::int32_t index = pull({.pull = segmented ? Pull::kWithin : Pull::kIndex, .desc = s_.desc});
    const std::int32_t base =
        pull({.pull = segmented ? Pull::kPerSegment : Pull::kUniform, .var = s_.init, .desc = s_.desc});
    const std::int32_t place =
        k_.body.apply(Scalar::kSelect, Type::kInt, flag, k_.body.apply(Scalar::kAdd, Type::kInt, base, rank),
                      k_.body.apply(Scalar::kSub, Type::kInt, index, rank));
    check_base(flag, place, base);
    s_.index =
        segmented ? pull({.pull = Pull::kSegPlace, .a = place, .desc = s_.desc, .desc2 = s_.desc}) : place;
    s_.kind = SinkKind::kScatter;
    s_.distinct = true;
    s_.filter = s_.init = s_.desc = kNone;
  }

 private:
  std::int32_t pull(const BodyInst& in) { return k_.body.add(in); }
  // Elements of the first side stay below the base; those of the second fit behind it, which their scatter
  // sees. Both together are all, so neither side can be shorter.
  void check_base(std::int32_t flag, std::int32_t place, std::int32_t base) {
    const std::int32_t zero = k_.body.add({});
    const std::int32_t negative = k_.body.apply(Scalar::kLt, Type::kBool, base, zero);
    const std::int32_t beyond = k_.body.apply(Scalar::kGe, Type::kBool, place, base);
    k_.body.add({.pull = Pull::kCheck,
                 .type = Type::kBool,
                 .a = k_.body.apply(Scalar::kSelect, Type::kBool, flag, negative, beyond)});
  }

  plan::Kernel& k_;
  Sink& s_;
};

}  // namespace

const std::string& prelude() {
  static const std::string kText =
      std::string(kPreludeText) + kCarryText + kTreeText + kTileText + kWholeText + kKeptText;
  return kText;
}

Code generate(const plan::Plan& plan, const std::string& prefix) {
  Code code;
  code.plan = plan;
  for (plan::Kernel& k : code.plan.kernels)
    for (Sink& s : k.sinks)
      if (s.kind == SinkKind::kPartition) PartitionLowering(k, s).run();
  scatter_in_place(code.plan);
  add_offsets(code);
  for (std::size_t k = 0; k < code.plan.kernels.size(); ++k) {
    code.kernels[k].space = code.plan.kernels[k].space;
    if (left_to_host(code.plan.kernels[k])) continue;
    KernelWriter writer{code.plan, code.plan.kernels[k], prefix + "k" + std::to_string(k), {}, {}, {}, {}};
    writer.code = std::move(code.kernels[k]);
    PassChooser(writer).write();
    code.source += writer.source;
    code.kernels[k] = std::move(writer.code);
  }
  choose_lanes(code);
  return code;
}

}  // namespace nvm::gpu
