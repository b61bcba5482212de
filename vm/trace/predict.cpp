// Follows traces that come again (trace_cache.h).
#include <algorithm>

#include "bytecode/base/at.h"
#include "bytecode/table/op_kind.h"
#include "vm/interp/value_moves.h"
#include "vm/trace/recorder.h"

namespace nvm::vm {

using soac::kNone;
using soac::LengthId;
using soac::VarId;
using soac::VarRole;

namespace {

using DeferredRef = std::shared_ptr<Deferred>;
using Clock = std::chrono::steady_clock;

}  // namespace

// True: taken. False: it is left to the interpreter. Nothing: record it.
std::optional<bool> Recorder::follow(const Offered& o) {
  if (traces_.followed() == nullptr) {
    if (!now_.region.vars.empty() || !traces_.begin(o.inst)) return {};
    now_.begun = timed_.next() ? Clock::now() : Clock::time_point();
  }
  const TraceStep* step = traces_.next();
  if (step == nullptr) return follow_end(o);
  if (o.repeated || !traces_.fits(o.inst, o.operands)) {
    if (passes_by(o)) return false;
    record_known();
    return {};
  }
  take(*step, o);
  return true;
}

std::optional<bool> Recorder::follow_end(const Offered& o) {
  const CachedTrace& trace = *traces_.followed();
  const RegionStop stop = trace.stop;
  if (trace.stopper == &o.inst && (stop == RegionStop::kLoop || stop == RegionStop::kLong)) {
    flush(stop);
    return offer(o.inst, o.site, o.operands, o.results);  // what was promised is there now
  }
  if ((trace.stopper == &o.inst && o.waits) || passes_by(o)) return false;
  record_known();
  return {};
}

// Needs nothing of the trace and would not be recorded.
bool Recorder::passes_by(const Offered& o) {
  if (o.waits) return false;
  if (op_kind(o.inst.op) == OpKind::kShape || refuses(o.inst, o.operands)) return true;
  declined_ = o.repeated;
  return o.repeated;
}

// Operands are moved to where the region has them.
void Recorder::take(const TraceStep& step, const Offered& o) {
  const std::span<Value> operands = o.operands, results = o.results;
  CachedTrace& trace = *traces_.followed();
  traces_.pass();
  charges_.add(o.inst, o.site, step.charged);
  if (step.kind == TraceStep::Kind::kNumber) {
    results[0] = Vector::of_int(trace.lengths[at(step.number)]);
    return;
  }
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (std::holds_alternative<DeferredRef>(operands[k])) continue;
    Value& input = trace.input(step.operands[k]);
    if (std::holds_alternative<std::monostate>(input)) move_value(operands[k], input);
  }
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    const VarId x = step.results[i];
    DeferredRef& d = trace.promised[at(x)];
    if (d == nullptr) d = new_promise(x);
    results[i].emplace<DeferredRef>(d);
  }
  if (step.kind == TraceStep::Kind::kInst) traces_.note_trail(trail());
}

// Something differs: what has been passed, as if it had been recorded.
void Recorder::record_known() {
  CachedTrace& trace = *traces_.followed();
  TraceStep none;
  none.lengths = 1;
  const std::size_t passed = traces_.passed();
  const TraceStep& last = passed == 0 ? none : trace.steps[passed - 1];
  const auto first = [](const auto& from, std::uint32_t n, auto& to) {
    to.assign(from.begin(), from.begin() + n);
  };
  first(trace.recorded.lengths, last.lengths, now_.region.lengths);
  first(trace.recorded.vars, last.vars, now_.region.vars);
  first(trace.recorded.insts, last.insts, now_.region.insts);
  first(trace.sites, last.insts, now_.sites);
  first(trace.packed, last.packed, packed_);
  first(trace.steps, static_cast<std::uint32_t>(passed), steps_);
  for (std::size_t i = 0; i < last.insts; ++i) now_.sites[i].trail = traces_.trails()[i];
  // What was found out later may speak of what is not there yet.
  lengths_of_.clear();
  length_of_.clear();
  for (std::size_t i = 0; i < last.vars; ++i) {
    const VarId desc = trace.lengths_of[i];
    const LengthId number = trace.length_of[i];
    lengths_of_.push_back(desc < static_cast<VarId>(last.vars) ? desc : kNone);
    length_of_.push_back(number < static_cast<LengthId>(last.lengths) ? number : kNone);
  }
  first(trace.lengths, last.lengths, now_.lengths);
  now_.inputs.resize(last.vars);
  promised_.resize(last.vars);
  for (std::size_t i = 0; i < last.vars; ++i) {
    if (trace.recorded.vars[i].role == VarRole::kInput)
      move_value(trace.input(static_cast<VarId>(i)), now_.inputs[i]);
    else
      promised_[i] = std::move(trace.promised[i]);
  }
  each_.assign(last.vars, std::nullopt);
  primitives_ = false;
  for (const soac::RegionInst& in : now_.region.insts) {
    note_each(in);
    primitives_ |= op_kind(in.op) == OpKind::kRank;
  }
  if (now_.begun == Clock::time_point()) now_.begun = Clock::now();
  TraceCache::release(trace);
  traces_.miss();
}

std::unique_ptr<CachedTrace> Recorder::learn(const RecordedRegion& compacted, std::span<const VarId> renamed,
                                             std::span<const LengthId> lengths,
                                             std::span<const CountedAt> counted) {
  auto trace = std::make_unique<CachedTrace>();
  trace->steps = steps_;
  trace->recorded = now_.region;
  trace->recorded.small = compacted.region.small;
  trace->sites = now_.sites;
  trace->packed = packed_;
  trace->lengths_of = lengths_of_;
  trace->length_of = length_of_;
  trace->stop = compacted.stop;
  trace->stopper = stopper_;
  RecordedRegion& r = trace->region;
  r.region = compacted.region;
  r.sites = compacted.sites;
  r.lengths = compacted.lengths;
  r.inputs.resize(r.region.vars.size());
  r.memo = &trace->memo;
  trace->lengths = now_.lengths;
  trace->counted.assign(counted.begin(), counted.end());
  trace->promised.resize(renamed.size());
  trace->values.resize(r.region.vars.size());
  for (std::size_t i = 0; i < renamed.size(); ++i) {
    const auto x = static_cast<VarId>(i);
    const bool is_input = now_.region.vars[i].role == VarRole::kInput;
    trace->input_at.push_back(renamed[i]);
    if (is_input && renamed[i] == kNone) {
      trace->input_at.back() = ~static_cast<VarId>(trace->dropped.size());
      trace->dropped.emplace_back();
    }
    if (promised_[i] != nullptr) trace->made.push_back(x);
    if (promised_[i] != nullptr && now_.region.vars[i].role == VarRole::kOutput)
      trace->outputs.emplace_back(x, renamed[i]);
  }
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] != kNone) trace->symbols.emplace_back(static_cast<LengthId>(i), lengths[i]);
  for (const soac::RegionInst& in : now_.region.insts)
    if (in.op == Op::kIf || renamed[at(in.results[0])] != kNone)
      trace->instructions.emplace_back(in.site, static_cast<std::int32_t>(trace->instructions.size()));
  return trace;
}

void Recorder::run_known(RegionStop stop) {
  CachedTrace& trace = *traces_.followed();
  RecordedRegion& r = trace.region;
  r.stop = stop;
  r.begun = now_.begun;
  r.kernels = 0;
  r.trapped = false;
  r.reason = {};
  r.lengths.resize(r.region.lengths.size());
  for (const auto& [from, to] : trace.symbols) r.lengths[at(to)] = trace.lengths[at(from)];
  std::swap(r.trails, now_.trails);
  for (const auto& [from, to] : trace.instructions) r.sites[at(to)].trail = traces_.trails()[at(from)];
  traces_.hit();
  stopper_ = nullptr;
  now_.trails.clear();
  Charges charges = std::move(charges_);
  charges_.resize(0);
  RegionRun run;
  try {
    run = execute(r, trace.values);
    charges.settle(trace.lengths, trace.counted, r.lengths, trace.values);
  } catch (...) {
    TraceCache::release(trace);
    throw;
  }
  for (const auto& [from, to] : trace.outputs) {
    DeferredRef& promised = trace.promised[at(from)];
    promised->set(std::move(trace.values[at(to)]));
    promised.reset();
  }
  TraceCache::release(trace);
  report(r, charges, run);
}

}  // namespace nvm::vm
