#include "vm/trace/trace_cache.h"

#include <algorithm>

#include "bytecode/base/at.h"

namespace nvm::vm {

using soac::LengthId;
using soac::LengthKind;
using soac::Var;
using soac::VarId;
using soac::VarRole;

namespace {

using DeferredRef = std::shared_ptr<Deferred>;

constexpr std::int64_t kUnbound = -2, kUncounted = -1;

void clear_value(Value& v) {
  if (!std::holds_alternative<std::monostate>(v)) v.emplace<std::monostate>();
}

}  // namespace

bool TraceCache::begin(const ssa::Inst& inst) {
  start_ = starts_.find(&inst);
  if (start_ == nullptr) return false;
  trace_ = start_->expected();
  if (trace_ == nullptr) return false;
  at_ = 0;
  const std::vector<LengthKind>& kinds = trace_->recorded.lengths;
  for (std::size_t i = 1; i < kinds.size(); ++i)
    trace_->lengths[i] = kinds[i] == LengthKind::kCounted ? kUncounted : kUnbound;
  return true;
}

bool TraceCache::length_fits(LengthId id, std::int64_t n) {
  std::int64_t& known = trace_->lengths[at(id)];
  if (known != kUnbound) return known == n;
  if (n == 1 || (trace_->recorded.small && n >= std::int64_t{1} << 31)) return false;
  known = n;
  return true;
}

bool TraceCache::fits(const Var& v, const Value& value) {
  if (v.is_desc) {
    const auto* s = std::get_if<Segdes>(&value);
    return s != nullptr && form_of(*s) == v.form && length_fits(v.length, s->segments()) &&
           length_fits(v.total, s->total());
  }
  const auto* x = std::get_if<Vector>(&value);
  if (x == nullptr || x->storage() != v.storage || !length_fits(v.length, x->length())) return false;
  return !v.is_fixed || (x->is_scalar() && x->scalar_int() == v.fixed);
}

bool TraceCache::fits(const ssa::Inst& inst, std::span<const Value> operands) {
  const TraceStep& step = trace_->steps[at_];
  if (step.inst != &inst || step.op != inst.op || step.word != inst.word ||
      step.operands.size() != operands.size())
    return false;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const VarId x = step.operands[k];
    if (const auto* d = std::get_if<DeferredRef>(&operands[k])) {
      if ((*d)->var() != x) return false;
      continue;
    }
    const Var& v = trace_->recorded.vars[at(x)];
    if (v.role != VarRole::kInput) return false;
    const Value* twin = &trace_->input(x);
    const auto* before = std::find(step.operands.begin(), step.operands.begin() + k, x);
    if (before != step.operands.begin() + k)
      twin = &operands[at(static_cast<int>(before - step.operands.begin()))];
    const bool is_new = std::holds_alternative<std::monostate>(*twin);
    if (is_new ? !fits(v, operands[k]) : !same_input(*twin, operands[k])) return false;
  }
  return true;
}

std::int64_t TraceCache::length_of(VarId x) const {
  const Var& v = trace_->recorded.vars[at(x)];
  return trace_->lengths[at(v.is_desc ? v.total : v.length)];
}

bool TraceCache::pass_check(const Deferred& condition, const Site& branch) {
  if (at_ == trace_->steps.size()) return false;
  const TraceStep& step = trace_->steps[at_];
  if (step.kind != TraceStep::Kind::kCheck || step.operands[0] != condition.var()) return false;
  const Site& known = trace_->sites[trails_.size()].site;
  if (known.function != branch.function || known.block != branch.block) return false;
  ++at_;
  return true;
}

bool TraceCache::ends() const {
  if (at_ != trace_->steps.size()) return false;
  return std::all_of(trace_->made.begin(), trace_->made.end(), [&](VarId x) {
    return (trace_->promised[at(x)].use_count() > 1) ==
           (trace_->recorded.vars[at(x)].role == VarRole::kOutput);
  });
}

void TraceCache::release(CachedTrace& trace) {
  trace.region.inputs.resize(trace.region.region.vars.size());  // they may have been taken
  for (Value& v : trace.region.inputs) clear_value(v);
  for (Value& v : trace.dropped) clear_value(v);
  for (Value& v : trace.values) clear_value(v);
  for (DeferredRef& d : trace.promised)
    if (d != nullptr && (d.use_count() > 1 || d->computed())) d.reset();
}

}  // namespace nvm::vm
