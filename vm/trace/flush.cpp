// Executes what has been recorded: what is live, what it counts, and who gets it.
#include <algorithm>

#include "vm/interp/work.h"
#include "vm/trace/recorder.h"

namespace nvm::vm {

using soac::kNone;
using soac::LengthId;
using soac::Var;
using soac::VarId;
using soac::VarRole;

namespace {

std::int64_t longest(const RecordedRegion& recorded) {
  return recorded.lengths.empty() ? 0 : *std::max_element(recorded.lengths.begin(), recorded.lengths.end());
}

}  // namespace

// The cost model counts also what nobody wants computed: asks for the lengths that it needs of filters whose
// results do not survive the region. The answer, by LengthId, is the variable that will hold it.
std::vector<VarId> Recorder::ask_counts() {
  std::vector<VarId> numbers(now_.lengths.size(), kNone);
  const std::size_t insts = now_.region.insts.size();
  for (std::size_t i = 0; i < insts; ++i) {
    const soac::RegionInst& in = now_.region.insts[i];
    if (in.op != Op::kPack) continue;
    const VarId packed = in.results[0];
    VarId& known = numbers[static_cast<std::size_t>(var(packed).length)];
    if (known != kNone || var(packed).role == VarRole::kOutput || !charges_.speak_of(var(packed).length))
      continue;
    soac::RegionInst length;
    length.op = Op::kLength;
    length.word = in.word;
    length.site = in.site;
    length.operands = {packed};
    Var number;
    number.role = VarRole::kOutput;
    number.length = 0;
    number.storage = bits_ == IntBits::k32 ? Storage::kI32 : Storage::kI64;
    known = new_var(number);
    length.results = {known};
    now_.region.insts.push_back(length);
  }
  return numbers;
}

Value Recorder::promise(VarId v) {
  auto& d = promised_[static_cast<std::size_t>(v)];
  if (d == nullptr) d = new_promise(v);
  return d;
}

std::shared_ptr<Deferred> Recorder::new_promise(VarId v) {
  if (spare_.empty()) return std::make_shared<Deferred>(v);
  std::shared_ptr<Deferred> d = std::move(spare_.back());
  spare_.pop_back();
  d->rename(v);
  return d;
}

// Promises that were not asked for serve again.
void Recorder::recycle(std::vector<std::shared_ptr<Deferred>>& promised) {
  constexpr std::size_t kMost = 512;
  for (auto& d : promised)
    if (d != nullptr && d.use_count() == 1 && !d->computed() && spare_.size() < kMost)
      spare_.push_back(std::move(d));
  promised.clear();
}

void Recorder::mark_live() {
  for (std::size_t i = 0; i < promised_.size(); ++i) {
    const auto& d = promised_[i];
    if (d != nullptr) now_.region.vars[i].role = d.use_count() > 1 ? VarRole::kOutput : VarRole::kTemp;
  }
}

RegionRun Recorder::execute(RecordedRegion& recorded, std::span<Value> outputs) {
  RegionRun run;
  recorded.watched = observer_ != nullptr && observer_->wants_region(longest(recorded));
  if (recorded.watched) {
    run.bytes = vector_bytes(recorded.inputs);
    run.elements = elements_of(recorded);
    observer_->begin_region(recorded.sites.empty() ? nullptr : recorded.sites.front().inst,
                            stop_name(recorded.stop));
  }
  RecordedSite failed;
  try {
    executor_.execute(recorded, outputs, failed);
  } catch (const Fault&) {
    failed_ = failed;
    failed_trail_ = recorded.trail_of(failed);
    throw;
  }
  run.trapped = recorded.trapped;
  if (!recorded.watched) return run;
  run.kernels = recorded.kernels;
  run.reason = recorded.reason;
  run.bytes += vector_bytes(outputs);
  return run;
}

// Failed checks are told also of regions that are not watched.
void Recorder::report(const RecordedRegion& recorded, const Charges& charges, const RegionRun& run) {
  if (recorded.watched || (observer_ != nullptr && run.trapped))
    observer_->end_region(charges.settled(), run);
}

void Recorder::flush(RegionStop stop) {
  if (const CachedTrace* trace = traces_.followed(); trace != nullptr) {
    if (traces_.ends() && (!charges_.asks() || charges_.countable(trace->lengths, trace->counted)))
      return run_known(stop);
    record_known();
  }
  mark_live();
  if (guarded()) return flush_guarded(stop);
  execute_all(stop);
}

void Recorder::execute_all(RegionStop stop) {
  const std::vector<VarId> numbers = charges_.asks() ? ask_counts() : std::vector<VarId>();
  std::vector<VarId> renamed;
  now_.stop = stop;
  std::vector<LengthId> lengths;
  RecordedRegion recorded = compact(now_, renamed, lengths);
  std::vector<CountedAt> counted;
  if (!charges_.empty())
    for (std::size_t n = 0; n < lengths.size(); ++n) {
      const VarId number = numbers.empty() ? kNone : numbers[n];
      counted.push_back({lengths[n], number == kNone ? kNone : renamed[static_cast<std::size_t>(number)]});
    }
  if (predicts_ && knowable_ && !steps_.empty())
    traces_.learn(steps_.front().inst, [&] { return learn(recorded, renamed, lengths, counted); });
  std::vector<std::shared_ptr<Deferred>> promised = std::move(promised_);
  Charges charges = std::move(charges_);
  const std::vector<std::int64_t> known = charges.empty() ? std::vector<std::int64_t>() : now_.lengths;
  // Inputs stay referenced by `recorded` alone, so that the executor may reuse what dies.
  reset();
  std::vector<Value> outputs(recorded.region.vars.size());
  const RegionRun run = execute(recorded, outputs);
  charges.settle(known, counted, recorded.lengths, outputs);
  for (std::size_t i = 0; i < promised.size(); ++i) {
    const VarId r = renamed[i];
    if (promised[i] == nullptr || r == kNone ||
        recorded.region.vars[static_cast<std::size_t>(r)].role != VarRole::kOutput)
      continue;
    promised[i]->set(std::move(outputs[static_cast<std::size_t>(r)]));
  }
  recycle(promised);
  report(recorded, charges, run);
}

}  // namespace nvm::vm
