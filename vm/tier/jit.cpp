#include "vm/tier/jit.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "bytecode/base/check.h"
#include "vm/data/compare.h"
#include "vm/tier/binding.h"
#include "vm/tier/describe.h"
#include "vm/tier/eager.h"
#include "vm/tier/pipeline.h"

namespace nvm::vm {

namespace {

// Are there any descriptors of computed lengths?
bool makes_segdes(const RecordedRegion& region) {
  const auto& insts = region.region.insts;
  return std::any_of(insts.begin(), insts.end(),
                     [](const soac::RegionInst& in) { return in.op == Op::kMakeSegdes; });
}

// The work of a run that is done. Under a descriptor of computed lengths there may be any number of elements,
// and the next run is taken to be alike.
std::int64_t work_done(const RecordedRegion& region, RegionEntry& e, std::int64_t expected) {
  if (!makes_segdes(region)) return expected;
  e.found = elements_of(region);
  return e.found;
}

bool guessed(const plan::Plan& plan) {
  return std::any_of(plan.vars.begin(), plan.vars.end(), [](const plan::Var& v) { return v.guessed; });
}

}  // namespace

// Of a line that comes again: its entry, and the binding to its values.
class Jit::Memo final : public RegionMemo {
 public:
  Memo(RegionEntry& e, std::uint64_t of) : entry(e), generation(of) {
    for (const soac::RegionInst& in : e.region.insts) note_touched(in);
  }
  // elements_of(region), of which the lengths alone are new.
  [[nodiscard]] std::int64_t elements(const RecordedRegion& region) const {
    std::int64_t work = 0;
    for (const Touched& t : touched_) {
      std::int64_t most = 1;
      for (const soac::LengthId n : t.lengths)
        most = std::max(most, region.lengths[static_cast<std::size_t>(n)]);
      work += t.insts * most;
    }
    return work;
  }
  // Whether this run is timed.
  [[nodiscard]] bool clocked() { return timed_.next(); }
  Binding& bind(const RecordedRegion& region, Pool& pool, const std::atomic<Stop>* stop) {
    if (binding_ && bound_ == entry.compilations) {
      binding_->bind();
    } else {
      binding_.emplace(entry.plan, region, pool, stop);
      bound_ = entry.compilations;
    }
    return *binding_;
  }

  RegionEntry& entry;
  const std::uint64_t generation;

 private:
  struct Touched {  // by so many instructions: vectors of these lengths
    std::vector<soac::LengthId> lengths;
    std::int64_t insts = 0;
  };
  void note_touched(const soac::RegionInst& in) {
    std::vector<soac::LengthId> lengths;
    for (std::size_t k = 0; k < in.operands.size(); ++k)
      if (const soac::LengthId n = touched_length(entry.region, in, k);
          n != soac::kNone && std::find(lengths.begin(), lengths.end(), n) == lengths.end())
        lengths.push_back(n);
    const auto it = std::find_if(touched_.begin(), touched_.end(),
                                 [&](const Touched& t) { return t.lengths == lengths; });
    ++(it != touched_.end() ? *it : touched_.emplace_back(Touched{std::move(lengths), 0})).insts;
  }

  std::vector<Touched> touched_;
  Sampling timed_{256};
  std::optional<Binding> binding_;
  std::uint32_t bound_ = 0;  // the compilation whose plan `binding_` binds to
};

// Null of a line that does not come again.
Jit::Memo* Jit::memo_of(const RecordedRegion& region) {
  if (region.memo == nullptr) return nullptr;
  auto* memo = static_cast<Memo*>(region.memo->get());
  if (memo != nullptr && memo->generation == generation_) return memo;
  RegionEntry& e = entry(region);  // may begin a new generation
  *region.memo = std::make_unique<Memo>(e, generation_);
  return static_cast<Memo*>(region.memo->get());
}

RegionEntry& Jit::entry(const RecordedRegion& region) {
  std::string key = soac::key(region.region);
  const auto it = by_key_.find(key);
  if (it != by_key_.end()) return *it->second;
  if (entries_.size() >= options_.max_regions) {
    by_key_.clear();
    entries_.clear();
    blacklist_.clear();
    ++generation_;
  }
  auto fresh = std::make_unique<RegionEntry>();
  fresh->number = next_number_++;
  fresh->region = region.region;
  fresh->sites = region.sites;
  by_key_.emplace(std::move(key), fresh.get());
  entries_.push_back(std::move(fresh));
  return *entries_.back();
}

void Jit::compile(const RecordedRegion& region, RegionEntry& e) {
  const auto start = std::chrono::steady_clock::now();
  e.tried = true;
  if (options_.observer != nullptr) options_.observer->begin_compile();
  e.plan.name = code_name(region, options_.module);
  compile_region(region.region, engine_, options_.fusion, e);
  if (options_.observer != nullptr) options_.observer->end_compile(describe(region, e));
  ++(e.code != nullptr ? counters_.compiled : counters_.refused);
  counters_.compile_ns += static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count());
}

// Fused unless it traps too often or lost against the primitives.
bool Jit::runs_fused(const RegionEntry& e, std::int64_t work) const {
  if (e.code == nullptr || e.traps >= options_.max_traps) return false;
  return options_.mode != JitMode::kHot || e.tier.next(work) == Way::kCandidate;
}

void Jit::execute(RecordedRegion& region, std::span<Value> outputs, RecordedSite& failed) {
  ++counters_.regions;
  ++counters_.stops[static_cast<std::size_t>(region.stop)];
  if (options_.mode == JitMode::kOff || region.region.insts.empty())
    return run_eager(context_, region, outputs, failed);
  Memo* memo = memo_of(region);
  run_entry(region, memo != nullptr ? memo->entry : entry(region), memo, outputs, failed);
}

void Jit::run_entry(RecordedRegion& region, RegionEntry& e, Memo* memo, std::span<Value> outputs,
                    RecordedSite& failed) {
  std::int64_t work = std::max(memo != nullptr ? memo->elements(region) : elements_of(region), e.found);
  ++e.runs;
  e.work += work;
  using Clock = std::chrono::steady_clock;
  const bool clocked = memo == nullptr || memo->clocked();
  if (clocked && region.begun != Clock::time_point()) {
    const std::chrono::duration<double, std::nano> recording = Clock::now() - region.begun;
    e.recording = std::min(e.recording, recording.count());
  }
  const bool pays = budget_.pays(work, e.work, region.region.insts.size(), e.tried);
  if (!e.tried && (pays || options_.mode != JitMode::kHot)) compile(region, e);
  auto start = clocked ? Clock::now() : Clock::time_point();
  const auto elapsed = [&] { return std::chrono::duration<double, std::nano>(Clock::now() - start).count(); };
  bool fused = runs_fused(e, work) && run_code(region, e, memo, outputs, failed);
  if (!fused && region.trapped && e.guesses &&
      guessed(e.plan)) {  // perhaps a guess was wrong, and no check of the program's
    e.guesses = false;
    region.trapped = false;
    e.events.clear();
    compile(region, e);
    fused = e.code != nullptr && run_code(region, e, memo, outputs, failed);
  }
  bool done = false;
  if (!fused && !e.tried && makes_segdes(region)) {
    done = run_while_little(region, e, work, outputs, failed);
    if (!done) {
      compile(region, e);
      if (clocked) start = Clock::now();
      fused = runs_fused(e, work) && run_code(region, e, memo, outputs, failed);
    }
  }
  if (fused) {
    work = work_done(region, e, work);
    calls_.note_kernels(work);
    if (clocked) e.tier.note(Way::kCandidate, work, elapsed());
    if (options_.mode == JitMode::kCompare) compare(region, e, outputs);
    if (clocked) blacklist_if_hopeless(region, e, work);
    return;
  }
  try {
    if (!done) run_eager(context_, region, outputs, failed);
  } catch (const FailedCheck& check) {
    if (check.guard >= 0 && region.trapped && e.traps > 0) --e.traps;  // expected now and then
    throw;
  }
  region.reason = !e.tried                        ? "not hot enough to be compiled"
                  : region.trapped                ? "a check failed in compiled code"
                  : e.traps >= options_.max_traps ? "its checks failed too often"
                  : e.code == nullptr             ? std::string_view(e.reason)
                  : e.tier.lost()                 ? "the primitives are faster"
                                                  : "measured beside the kernels";
  work = work_done(region, e, work);
  if (e.tried && (e.code == nullptr || e.traps >= options_.max_traps || e.tier.lost()))
    calls_.note_primitives(work);
  else
    calls_.note_open(work);
  if (!clocked) return;
  if (!e.tried) e.tier.note_before(work, elapsed());
  if (e.code != nullptr && !region.trapped) e.tier.note(Way::kBaseline, work, elapsed());
  blacklist_if_hopeless(region, e, work);
}

// By the primitives. How much there is to do may come out under way: where that is many times the `work` that
// was known, and would be written, the region is to be compiled and begun anew, and the answer is false.
bool Jit::run_while_little(RecordedRegion& region, RegionEntry& e, std::int64_t& work,
                           std::span<Value> outputs, RecordedSite& failed) {
  constexpr std::int64_t kTimes = 8;
  const std::int64_t known = work;
  const bool done = run_eager_until(context_, region, outputs, failed, [&] {
    const std::int64_t more = elements_of(region) - work;
    e.work += more;
    work += more;
    return work >= kTimes * known && budget_.certain(e.work, region.region.insts.size());
  });
  if (!done) budget_.begin();
  return done;
}

// A short region that the primitives execute in less time than it takes to record it and run its kernels:
// they get its instructions without recording. While it was recorded, other instructions may have been
// executed, so there is a bound.
void Jit::blacklist_if_hopeless(const RecordedRegion& region, const RegionEntry& e, std::int64_t work) {
  constexpr double kMost = 2400;  // nanoseconds per instruction
  constexpr double kStep = 15;    // likewise: an interpreter takes as long to come to the next in any case
  if (options_.mode != JitMode::kHot || region.trapped) return;
  const auto insts = static_cast<double>(region.region.insts.size());
  const double overhead = std::clamp(e.recording - kStep * insts, 0.0, kMost * insts);
  if (!e.tier.hopeless(work, overhead)) return;
  for (const soac::RegionInst& in : region.region.insts)
    if (const ssa::Inst* inst = region.sites[static_cast<std::size_t>(in.site)].inst; inst != nullptr)
      blacklist_.add(*inst, elements_of(region, in));
}

bool Jit::run_code(RecordedRegion& region, RegionEntry& e, Memo* memo, std::span<Value> outputs,
                   RecordedSite& failed) {
  if (memo == nullptr) {
    Binding binding(e.plan, region, *context_.pool, options_.stop);
    return run_bound(region, e, binding, outputs, failed);
  }
  Binding& binding = memo->bind(region, *context_.pool, options_.stop);
  struct Clear {
    Binding& binding;
    ~Clear() { binding.clear(); }
  } const clear{binding};
  return run_bound(region, e, binding, outputs, failed);
}

bool Jit::run_bound(RecordedRegion& region, RegionEntry& e, Binding& binding, std::span<Value> outputs,
                    RecordedSite& failed) {
  binding.use(context_, region.watched ? options_.observer : nullptr, e.number);
  const plan::Run run = binding.run(context_.threads);
  const bool resident = e.code->resident();
  if (std::string why; !resident && !plan::fetch_inputs(run, why))
    throw Fault{Fault::Kind::kDevice, std::move(why)};
  const plan::RunStatus status = e.code->run(run);
  if (resident) binding.keep_remotes();
  if (status == plan::RunStatus::kDone) {
    ++counters_.fused;
    took(context_, FastPath::kKernels);
    binding.take(outputs);
    region.lengths = binding.lengths();
    region.kernels = e.plan.kernels.size();
    counters_.kernels += plan::passes(e.plan);
    return true;
  }
  if (status == plan::RunStatus::kCancelled) {
    failed = region.sites[static_cast<std::size_t>(region.region.insts.front().site)];
    throw stop_fault(options_.stop->load());
  }
  if (status == plan::RunStatus::kNotYet) {
    e.reason = e.code->refusal();
    if (e.reason.empty()) return false;
    e.code.reset();
    ++counters_.refused;
  }
  if (status == plan::RunStatus::kTrapped) {
    if (!guessed(e.plan)) {
      ++counters_.trapped;
      ++e.traps;
    }
    region.trapped = true;
  }
  return false;
}

void Jit::compare(const RecordedRegion& region, const RegionEntry& e, std::span<const Value> outputs) const {
  // Sums in another order may differ in the last bits; anything more is a bug.
  constexpr std::uint64_t kUlps = 1 << 20;
  RecordedRegion again = region;
  std::vector<Value> eager(outputs.size());
  RecordedSite failed;
  run_eager(context_, again, eager, failed);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string d = difference(outputs[i], eager[i], kUlps);
    NVM_CHECK(d.empty(), "compiled and eager results differ: x" + std::to_string(i) + ": " + d + "\n" +
                             plan::print(e.plan));
  }
}

}  // namespace nvm::vm
