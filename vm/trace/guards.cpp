// Regions that go on behind conditionals, guarded by their going as they went before: a check in the region,
// as of check conditionals. If it fails, nothing of the region is kept; what was recorded before that
// conditional is executed alone, and control goes on from there.
#include "vm/trace/guards.h"

#include <algorithm>

#include "bytecode/base/check.h"
#include "vm/trace/recorder.h"

namespace nvm::vm {

using soac::kNone;
using soac::VarId;
using soac::VarRole;

namespace {

using DeferredRef = std::shared_ptr<Deferred>;

constexpr std::size_t kMostGuards = 8;     // of a region: each keeps frames
constexpr std::uint32_t kMostPassed = 64;  // decided conditionals: what is not so must end, too
constexpr std::uint32_t kMostWanted = 1 << 12;

}  // namespace

void Decisions::note(const Site& branch, bool way) {
  Past& past = past_[key(branch)];
  past.equal = past.way == way ? std::min(past.equal + 1, kMostWanted) : 1;
  past.way = way;
}

void Decisions::missed(const Site& branch, bool way) {
  Past& past = past_[key(branch)];
  past.wanted = std::min(2 * std::max(past.wanted, after_), kMostWanted);
  past.equal = 1;
  past.way = way;
}

std::optional<bool> Decisions::expected(const Site& branch) const {
  const auto it = past_.find(key(branch));
  if (it == past_.end() || it->second.equal < std::max(it->second.wanted, after_)) return {};
  return it->second.way;
}

std::optional<bool> Recorder::foresee(const Value& condition, const Site& branch) {
  const auto* d = std::get_if<DeferredRef>(&condition);
  if (d == nullptr || (*d)->computed()) {
    if (guarded() && ++passed_ > kMostPassed) flush(RegionStop::kLong);
    return {};
  }
  const auto& flag = var((*d)->var());
  if (flag.is_desc || flag.length != 0 || guards_.size() >= kMostGuards ||
      now_.region.insts.size() + 2 > limits_.max_insts)
    return {};
  return decisions_.expected(branch);
}

void Recorder::guard(const Value& condition, const Site& branch, bool way, std::shared_ptr<Crossing> from) {
  Guard g{branch,
          way,
          std::move(from),
          {},
          now_.region.insts.size(),
          now_.region.vars.size(),
          now_.lengths.size(),
          charges_.size()};
  g.promised.assign(g.from->values.size(), kNone);
  for (std::size_t i = 0; i < g.promised.size(); ++i) {
    Value& v = g.from->values[i];
    const auto* d = std::get_if<DeferredRef>(&v);
    if (d == nullptr || *d == nullptr) continue;  // moved from, if it is null
    // Held by number, so that it is not computed for this alone.
    if (!(*d)->computed()) g.promised[i] = (*d)->var();
    v = (*d)->computed() ? Value((*d)->value()) : Value();
  }
  VarId flag = std::get<DeferredRef>(condition)->var();
  const RecordedSite site{nullptr, branch, -1, static_cast<std::int32_t>(guards_.size())};
  if (way) {
    soac::RegionInst no;
    no.op = Op::kNot;
    no.word = TypeWord::kBool;
    no.operands = {flag};
    soac::Var result = var(flag);
    result.role = VarRole::kTemp;
    result.is_fixed = false;
    flag = new_var(result);
    no.results.push_back(flag);
    no.site = static_cast<std::int32_t>(now_.sites.size());
    now_.region.insts.push_back(no);
    now_.sites.push_back(site);
  }
  append_check(flag, site);
  if (guards_.empty()) passed_ = 0;
  guards_.push_back(std::move(g));
}

// The roles are known: what is kept here is not live for that.
void Recorder::flush_guarded(RegionStop stop) {
  std::vector<Guard> guards = std::move(guards_);
  guards_.clear();
  Kept kept{now_, promised_, charges_};
  try {
    execute_all(stop);
  } catch (const FailedCheck& check) {
    if (check.guard < 0) throw;
    miss(std::move(kept), std::move(guards[static_cast<std::size_t>(check.guard)]));
  }
}

void Recorder::miss(Kept kept, Guard guard) {
  decisions_.missed(guard.branch, !guard.way);
  guard.from->undo();
  now_ = std::move(kept.recorded);
  promised_ = std::move(kept.promised);
  charges_ = std::move(kept.charges);
  now_.region.insts.resize(guard.insts);
  now_.sites.resize(guard.insts);
  now_.region.vars.resize(guard.vars);
  now_.inputs.resize(guard.vars);
  promised_.resize(guard.vars);
  now_.region.lengths.resize(guard.lengths);
  now_.lengths.resize(guard.lengths);
  charges_.resize(guard.charges);
  for (std::size_t i = 0; i < guard.promised.size(); ++i)
    if (guard.promised[i] != kNone)
      guard.from->values[i] = promised_[static_cast<std::size_t>(guard.promised[i])];
  mark_live();
  execute_all(RegionStop::kGuard);
  for (Value& v : guard.from->values)
    if (const auto* d = std::get_if<DeferredRef>(&v); d != nullptr && *d != nullptr) {
      NVM_CHECK((*d)->computed(), "a value before a guard");
      Value value = (*d)->value();
      v = std::move(value);
    }
  throw MissedGuard{std::move(guard.from), !guard.way};
}

}  // namespace nvm::vm
