// What a descriptor is made of, computed beside the line, which goes on: where it is few lengths, what is
// recorded already may be long vectors that nobody would have had to write (decision 58).
#include <algorithm>

#include "vm/trace/recorder.h"

namespace nvm::vm {

using soac::LengthId;
using soac::Var;
using soac::VarId;
using soac::VarRole;

namespace {

using DeferredRef = std::shared_ptr<Deferred>;

// Can it be executed now, and again with the line? No lengths may be those of a filter's results, which need
// not be among what is executed.
bool repeatable(const RecordedRegion& recorded, const soac::RegionInst& in) {
  const OpInfo& info = op_info(in.op);
  if (in.results.size() != 1 || info.kind == OpKind::kRandom || info.effect != Effect::kPure) return false;
  const auto known = [&](VarId x) {
    const Var& v = recorded.region.vars[static_cast<std::size_t>(x)];
    const auto is = [&](LengthId n) { return recorded.lengths[static_cast<std::size_t>(n)] >= 0; };
    return is(v.length) && (!v.is_desc || is(v.total));
  };
  return known(in.results[0]) && std::all_of(in.operands.begin(), in.operands.end(), known);
}

// What computes the variables, of all instructions; nothing if it cannot be executed twice.
std::optional<std::vector<bool>> behind(const RecordedRegion& recorded, std::vector<bool> wanted) {
  const soac::Region& region = recorded.region;
  std::vector<bool> takes(region.insts.size(), false);
  for (std::size_t i = region.insts.size(); i-- > 0;) {
    const soac::RegionInst& in = region.insts[i];
    const auto is_wanted = [&](VarId x) { return wanted[static_cast<std::size_t>(x)]; };
    if (std::none_of(in.results.begin(), in.results.end(), is_wanted)) continue;
    if (!repeatable(recorded, in)) return {};
    takes[i] = true;
    for (const VarId x : in.operands) wanted[static_cast<std::size_t>(x)] = true;
  }
  return takes;
}

// Is there, beside the instructions that `aside` takes, a promise of at least so many elements that somebody
// has?
bool promises(const RecordedRegion& recorded, const std::vector<std::shared_ptr<Deferred>>& promised,
              const std::vector<bool>& aside, std::int64_t elements) {
  for (std::size_t i = 0; i < recorded.region.insts.size(); ++i) {
    const soac::RegionInst& in = recorded.region.insts[i];
    if (aside[i] || in.results.empty()) continue;
    const auto at = static_cast<std::size_t>(in.results[0]);
    const Var& v = recorded.region.vars[at];
    if (promised[at] == nullptr || promised[at].use_count() < 2 || v.is_desc) continue;
    if (recorded.lengths[static_cast<std::size_t>(v.length)] >= elements) return true;
  }
  return false;
}

}  // namespace

bool Recorder::compute_aside(std::span<Value> operands) {
  if (guarded() || limits_.scatters || traces_.followed() != nullptr ||
      std::none_of(now_.lengths.begin(), now_.lengths.end(),
                   [&](std::int64_t n) { return n >= limits_.aside_least; }))
    return false;
  std::vector<bool> wanted(now_.region.vars.size(), false);
  for (const Value& v : operands)
    if (const auto* d = std::get_if<DeferredRef>(&v)) {
      if (var((*d)->var()).is_desc) return false;
      wanted[static_cast<std::size_t>((*d)->var())] = true;
    }
  const auto takes = behind(now_, wanted);
  if (!takes) return false;
  std::int64_t work = 0;
  for (std::size_t i = 0; i < takes->size(); ++i)
    if ((*takes)[i]) work += elements_of(now_, now_.region.insts[i]);
  constexpr std::int64_t kTimes = 16;
  const std::int64_t least = limits_.aside_least == 0 ? 0 : std::max(limits_.aside_least, kTimes * work);
  if (!promises(now_, promised_, *takes, least)) return false;
  RecordedRegion some = now_;
  some.region.insts.clear();
  for (std::size_t i = 0; i < takes->size(); ++i)
    if ((*takes)[i]) some.region.insts.push_back(now_.region.insts[i]);
  for (std::size_t x = 0; x < wanted.size(); ++x)
    if (some.region.vars[x].role != VarRole::kInput)
      some.region.vars[x].role = wanted[x] ? VarRole::kOutput : VarRole::kTemp;
  std::vector<VarId> renamed;
  std::vector<LengthId> lengths;
  some.stop = RegionStop::kAside;
  RecordedRegion recorded = compact(some, renamed, lengths);
  std::vector<Value> outputs(recorded.region.vars.size());
  try {
    report(recorded, Charges(observer_), execute(recorded, outputs));
  } catch (const Fault&) {
    failed_ = {};  // something before it may fail first: in its order, with the line
    return false;
  }
  knowable_ = false;
  for (std::size_t x = 0; x < wanted.size(); ++x)
    if (wanted[x])
      take_as_input(static_cast<VarId>(x), std::move(outputs[static_cast<std::size_t>(renamed[x])]));
  return true;
}

// What was promised as `x` is this; who computes it computes what nobody reads.
void Recorder::take_as_input(VarId x, Value value) {
  const auto at = static_cast<std::size_t>(x);
  Var unread = var(x);
  unread.role = VarRole::kTemp;
  for (soac::RegionInst& in : now_.region.insts)
    if (!in.results.empty() && in.results[0] == x) {
      const VarId nobody = new_var(unread);
      in.results = {nobody};
    }
  Var& v = now_.region.vars[at];
  v.role = VarRole::kInput;
  v.storage = std::get<Vector>(value).storage();
  v.guessed = false;
  now_.inputs[at] = value;
  const std::shared_ptr<Deferred> promised = std::exchange(promised_[at], nullptr);
  promised->set(std::move(value));
}

}  // namespace nvm::vm
