// Follows lines that come again (known_line.h).
#include <algorithm>

#include "bytecode/table/op_kind.h"
#include "vm/interp/value_moves.h"
#include "vm/trace/recorder.h"

namespace nvm::vm {

using soac::kNone;
using soac::LengthId;
using soac::LengthKind;
using soac::Var;
using soac::VarId;
using soac::VarRole;

namespace {

using DeferredRef = std::shared_ptr<Deferred>;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kUnbound = -2, kUncounted = -1;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

void clear(Value& v) {
  if (!std::holds_alternative<std::monostate>(v)) v.emplace<std::monostate>();
}

}  // namespace

bool Recorder::begin_known(const ssa::Inst& inst) {
  start_ = starts_.find(&inst);
  if (start_ == nullptr) return false;
  line_ = start_->expected();
  if (line_ == nullptr) return false;
  at_ = 0;
  const std::vector<LengthKind>& kinds = line_->recorded.lengths;
  for (std::size_t i = 1; i < kinds.size(); ++i)
    line_->lengths[i] = kinds[i] == LengthKind::kCounted ? kUncounted : kUnbound;
  now_.begun = timed_.next() ? Clock::now() : Clock::time_point();
  return true;
}

// True: taken. False: it is left to the interpreter. Nothing: record it.
std::optional<bool> Recorder::follow(const Offered& o) {
  if (line_ == nullptr && (!now_.region.vars.empty() || !begin_known(o.inst))) return {};
  if (at_ == line_->steps.size()) return follow_end(o);
  const LineStep& step = line_->steps[at_];
  const bool expected = step.inst == &o.inst && step.op == o.inst.op && step.word == o.inst.word;
  if (!expected || o.repeated || !fits(step, o.operands)) {
    if (passes_by(o)) return false;
    record_known();
    return {};
  }
  take(step, o.operands, o.results);
  return true;
}

std::optional<bool> Recorder::follow_end(const Offered& o) {
  const RegionStop stop = line_->stop;
  if (line_->stopper == &o.inst && (stop == RegionStop::kLoop || stop == RegionStop::kLong)) {
    flush(stop);
    return offer(o.inst, o.site, o.operands, o.results);  // what was promised is there now
  }
  if ((line_->stopper == &o.inst && o.waits) || passes_by(o)) return false;
  record_known();
  return {};
}

// Needs nothing of the line and would not be recorded.
bool Recorder::passes_by(const Offered& o) {
  if (o.waits) return false;
  if (op_kind(o.inst.op) == OpKind::kShape || refuses(o.inst, o.operands)) return true;
  declined_ = o.repeated;
  return o.repeated;
}

bool Recorder::length_fits(LengthId id, std::int64_t n) {
  std::int64_t& known = line_->lengths[at(id)];
  if (known != kUnbound) return known == n;
  if (n == 1 || (line_->recorded.small && n >= std::int64_t{1} << 31)) return false;
  known = n;
  return true;
}

bool Recorder::fits(const Var& v, const Value& value) {
  if (v.is_desc) {
    const auto* s = std::get_if<Segdes>(&value);
    return s != nullptr && form_of(*s) == v.form && length_fits(v.length, s->segments()) &&
           length_fits(v.total, s->total());
  }
  const auto* x = std::get_if<Vector>(&value);
  if (x == nullptr || x->storage() != v.storage || !length_fits(v.length, x->length())) return false;
  return !v.is_fixed || (x->is_scalar() && x->scalar_int() == v.fixed);
}

// Are the operands of the kinds, and the same ones, that the step had? Notes the lengths of new ones.
bool Recorder::fits(const LineStep& step, std::span<const Value> operands) {
  if (step.operands.size() != operands.size()) return false;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const VarId x = step.operands[k];
    if (const auto* d = std::get_if<DeferredRef>(&operands[k])) {
      if ((*d)->var() != x) return false;
      continue;
    }
    const Var& v = line_->recorded.vars[at(x)];
    if (v.role != VarRole::kInput) return false;
    const Value* twin = &line_->input(x);
    const auto* before = std::find(step.operands.begin(), step.operands.begin() + k, x);
    if (before != step.operands.begin() + k)
      twin = &operands[at(static_cast<int>(before - step.operands.begin()))];
    const bool is_new = std::holds_alternative<std::monostate>(*twin);
    if (is_new ? !fits(v, operands[k]) : !same_input(*twin, operands[k])) return false;
  }
  return true;
}

// Operands are moved to where the region has them.
void Recorder::take(const LineStep& step, std::span<Value> operands, std::span<Value> results) {
  KnownLine& line = *line_;
  ++at_;
  if (step.kind == LineStep::Kind::kNumber) {
    results[0] = Vector::of_int(line.lengths[at(step.number)]);
    return;
  }
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (std::holds_alternative<DeferredRef>(operands[k])) continue;
    Value& input = line.input(step.operands[k]);
    if (std::holds_alternative<std::monostate>(input)) move_value(operands[k], input);
  }
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    const VarId x = step.results[i];
    DeferredRef& d = line.promised[at(x)];
    if (d == nullptr) d = new_promise(x);
    results[i].emplace<DeferredRef>(d);
  }
  if (step.kind == LineStep::Kind::kInst) known_trails_.push_back(trail());
}

// As note_each has it of a line that is recorded.
std::optional<std::int64_t> Recorder::repeated_in_known(VarId x, std::int64_t length) const {
  if (line_->lengths[at(line_->recorded.vars[at(x)].length)] != length) return {};
  for (std::size_t i = 0; i < at_; ++i) {
    const LineStep& step = line_->steps[i];
    if (step.op != Op::kDist || step.kind != LineStep::Kind::kInst || step.results[0] != x) continue;
    if (line_->recorded.vars[at(step.operands[0])].role != VarRole::kInput) return {};
    const auto* one = std::get_if<Vector>(&line_->input(step.operands[0]));
    const bool known = one != nullptr && one->is_scalar() && one->type() == Type::kInt;
    return known ? std::optional(one->scalar_int()) : std::nullopt;
  }
  return {};
}

bool Recorder::follow_check(const Deferred& condition, const Site& branch) {
  if (at_ == line_->steps.size()) return false;
  const LineStep& step = line_->steps[at_];
  if (step.kind != LineStep::Kind::kCheck || step.operands[0] != condition.var()) return false;
  const Site& known = line_->sites[known_trails_.size()].site;
  if (known.function != branch.function || known.block != branch.block) return false;
  ++at_;
  known_trails_.push_back(-1);
  return true;
}

// Has all of the line been passed, and is the same live that was live then?
bool Recorder::line_ends() const {
  if (at_ != line_->steps.size()) return false;
  return std::all_of(line_->made.begin(), line_->made.end(), [&](VarId x) {
    return (line_->promised[at(x)].use_count() > 1) == (line_->recorded.vars[at(x)].role == VarRole::kOutput);
  });
}

// Something differs: what has been passed, as if it had been recorded.
void Recorder::record_known() {
  KnownLine& line = *line_;
  LineStep none;
  none.lengths = 1;
  const LineStep& last = at_ == 0 ? none : line.steps[at_ - 1];
  const auto first = [](const auto& from, std::uint32_t n, auto& to) {
    to.assign(from.begin(), from.begin() + n);
  };
  first(line.recorded.lengths, last.lengths, now_.region.lengths);
  first(line.recorded.vars, last.vars, now_.region.vars);
  first(line.recorded.insts, last.insts, now_.region.insts);
  first(line.sites, last.insts, now_.sites);
  first(line.packed, last.packed, packed_);
  first(line.steps, static_cast<std::uint32_t>(at_), steps_);
  for (std::size_t i = 0; i < last.insts; ++i) now_.sites[i].trail = known_trails_[i];
  // What was found out later may speak of what is not there yet.
  lengths_of_.clear();
  length_of_.clear();
  for (std::size_t i = 0; i < last.vars; ++i) {
    const VarId desc = line.lengths_of[i];
    const LengthId number = line.length_of[i];
    lengths_of_.push_back(desc < static_cast<VarId>(last.vars) ? desc : kNone);
    length_of_.push_back(number < static_cast<LengthId>(last.lengths) ? number : kNone);
  }
  first(line.lengths, last.lengths, now_.lengths);
  now_.inputs.resize(last.vars);
  promised_.resize(last.vars);
  for (std::size_t i = 0; i < last.vars; ++i) {
    if (line.recorded.vars[i].role == VarRole::kInput)
      move_value(line.input(static_cast<VarId>(i)), now_.inputs[i]);
    else
      promised_[i] = std::move(line.promised[i]);
  }
  each_.assign(last.vars, std::nullopt);
  primitives_ = false;
  for (const soac::RegionInst& in : now_.region.insts) {
    note_each(in);
    primitives_ |= op_kind(in.op) == OpKind::kRank;
  }
  if (now_.begun == Clock::time_point()) now_.begun = Clock::now();
  release_known(line);
  line_ = nullptr;
  ++left_lines_;
  start_->miss();  // may forget the line
}

std::unique_ptr<KnownLine> Recorder::learn(const RecordedRegion& compacted, std::span<const VarId> renamed,
                                           std::span<const LengthId> lengths) {
  auto line = std::make_unique<KnownLine>();
  line->steps = steps_;
  line->recorded = now_.region;
  line->recorded.small = compacted.region.small;
  line->sites = now_.sites;
  line->packed = packed_;
  line->lengths_of = lengths_of_;
  line->length_of = length_of_;
  line->stop = compacted.stop;
  line->stopper = stopper_;
  RecordedRegion& r = line->region;
  r.region = compacted.region;
  r.sites = compacted.sites;
  r.lengths = compacted.lengths;
  r.inputs.resize(r.region.vars.size());
  r.memo = &line->memo;
  line->lengths = now_.lengths;
  line->promised.resize(renamed.size());
  line->values.resize(r.region.vars.size());
  for (std::size_t i = 0; i < renamed.size(); ++i) {
    const auto x = static_cast<VarId>(i);
    const bool is_input = now_.region.vars[i].role == VarRole::kInput;
    line->input_at.push_back(renamed[i]);
    if (is_input && renamed[i] == kNone) {
      line->input_at.back() = ~static_cast<VarId>(line->dropped.size());
      line->dropped.emplace_back();
    }
    if (promised_[i] != nullptr) line->made.push_back(x);
    if (now_.region.vars[i].role == VarRole::kOutput) line->outputs.emplace_back(x, renamed[i]);
  }
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] != kNone) line->symbols.emplace_back(static_cast<LengthId>(i), lengths[i]);
  for (const soac::RegionInst& in : now_.region.insts)
    if (in.op == Op::kIf || renamed[at(in.results[0])] != kNone)
      line->instructions.emplace_back(in.site, static_cast<std::int32_t>(line->instructions.size()));
  return line;
}

void Recorder::run_known(RegionStop stop) {
  KnownLine& line = *line_;
  RecordedRegion& r = line.region;
  ++followed_;
  start_->hit();
  r.stop = stop;
  r.begun = now_.begun;
  r.kernels = 0;
  r.trapped = false;
  r.reason = {};
  r.lengths.resize(r.region.lengths.size());
  for (const auto& [from, to] : line.symbols) r.lengths[at(to)] = line.lengths[at(from)];
  std::swap(r.trails, now_.trails);
  for (const auto& [from, to] : line.instructions) r.sites[at(to)].trail = known_trails_[at(from)];
  leave_known();
  RegionRun run;
  try {
    run = execute(r, line.values, {}, {});
  } catch (...) {
    release_known(line);
    throw;
  }
  for (const auto& [from, to] : line.outputs) {
    DeferredRef& promised = line.promised[at(from)];
    promised->set(std::move(line.values[at(to)]));
    promised.reset();
  }
  release_known(line);
  report(r, {}, run);
}

// Nothing is followed any more, and nothing has been recorded.
void Recorder::leave_known() {
  line_ = nullptr;
  stopper_ = nullptr;
  known_trails_.clear();
  now_.trails.clear();
}

// Lets go of the values of a run. Promises that nobody has serve again.
void Recorder::release_known(KnownLine& line) {
  line.region.inputs.resize(line.region.region.vars.size());  // they may have been taken
  for (Value& v : line.region.inputs) clear(v);
  for (Value& v : line.dropped) clear(v);
  for (Value& v : line.values) clear(v);
  for (DeferredRef& d : line.promised)
    if (d != nullptr && (d.use_count() > 1 || d->computed())) d.reset();
}

}  // namespace nvm::vm
