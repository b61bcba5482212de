#include "vm/tier/eager.h"

#include <algorithm>

#include "vm/interp/random.h"

namespace nvm::vm {

using soac::RegionInst;
using soac::Var;
using soac::VarId;
using soac::VarRole;

namespace {

// By VarId: wanted in memory, by somebody who does not take one number repeated.
std::vector<bool> written_out_vars(const soac::Region& r) {
  std::vector<bool> out(r.vars.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = r.vars[i].role == VarRole::kOutput;
  for (const RegionInst& in : r.insts) {
    if (op_info(in.op).kind == OpKind::kMap && in.operands.size() > 1) continue;
    for (const VarId x : in.operands) out[static_cast<std::size_t>(x)] = true;
  }
  return out;
}

class Eager {
 public:
  Eager(const PrimContext& context, RecordedRegion& region, std::vector<Value> inputs, RecordedSite& failed)
      : context_(context),
        region_(region),
        r_(region.region),
        failed_(failed),
        env_(std::move(inputs)),
        last_use_(r_.vars.size(), 0),
        written_out_(written_out_vars(r_)) {
    for (std::size_t i = 0; i < r_.insts.size(); ++i)
      for (const VarId x : r_.insts[i].operands) last_use_[at(x)] = i;
  }

  // Instructions before `end`.
  void run_to(std::size_t end) {
    for (; next_ < end; ++next_) execute(next_);
  }
  void finish(std::span<Value> outputs) {
    run_to(r_.insts.size());
    for (std::size_t i = 0; i < r_.vars.size(); ++i)
      if (r_.vars[i].role == VarRole::kOutput) outputs[i] = std::move(ready(static_cast<VarId>(i)));
  }

 private:
  static std::size_t at(VarId x) { return static_cast<std::size_t>(x); }
  [[nodiscard]] const Var& var(VarId x) const { return r_.vars[at(x)]; }

  Value& ready(VarId x) {
    Value& v = env_[at(x)];
    // A descriptor that is just "all that a filter kept" was named, not made.
    if (std::holds_alternative<std::monostate>(v) && var(x).is_desc)
      v = Segdes::regular(1, region_.lengths[at(var(x).total)]);
    return v;
  }
  // Operand j of instruction i; moved if nobody else wants it.
  Value operand(std::size_t i, std::size_t j) {
    const RegionInst& in = r_.insts[i];
    const VarId x = in.operands[j];
    const auto behind = in.operands.begin() + static_cast<std::ptrdiff_t>(j) + 1;
    const bool again = std::count(behind, in.operands.end(), x) > 0;
    const bool dies = last_use_[at(x)] == i && !again && var(x).role != VarRole::kOutput;
    Value& v = ready(x);
    return dies ? std::move(v) : v;
  }

  void execute(std::size_t i) {
    const RegionInst& in = r_.insts[i];
    operands_.clear();
    for (std::size_t j = 0; j < in.operands.size(); ++j) operands_.push_back(operand(i, j));
    const RecordedSite& site = region_.sites[static_cast<std::size_t>(in.site)];
    if (in.op == Op::kIf) {
      if (!std::get<Vector>(operands_[0]).scalar_bool()) return;
      throw FailedCheck{site.site, site.guard, region_.trail_of(site)};
    }
    results_.assign(in.results.size(), {});
    failed_ = site;
    if (in.op == Op::kRand)
      draw_again(context_, region_.draws[static_cast<std::size_t>(in.draw)], operands_, results_);
    else if (in.op == Op::kDist && !written_out_[at(in.results[0])])
      run_repeating_dist(context_, in.word, operands_, results_);
    else
      run_primitive(context_, in.op, in.word, operands_, results_);
    for (std::size_t j = 0; j < results_.size(); ++j) {
      if (const auto* x = std::get_if<Vector>(&results_[j]))
        region_.lengths[at(var(in.results[j]).length)] = x->length();
      if (const auto* s = std::get_if<Segdes>(&results_[j]))
        region_.lengths[at(var(in.results[j]).total)] = s->total();
      env_[at(in.results[j])] = std::move(results_[j]);
    }
  }

  const PrimContext& context_;
  RecordedRegion& region_;
  const soac::Region& r_;
  RecordedSite& failed_;
  std::vector<Value> env_;
  std::vector<std::size_t> last_use_;
  std::vector<bool> written_out_;
  std::vector<Value> operands_, results_;
  std::size_t next_ = 0;  // instruction
};

}  // namespace

void run_eager(const PrimContext& context, RecordedRegion& region, std::span<Value> outputs,
               RecordedSite& failed) {
  Eager(context, region, std::move(region.inputs), failed).finish(outputs);
}

bool run_eager_until(const PrimContext& context, RecordedRegion& region, std::span<Value> outputs,
                     RecordedSite& failed, const std::function<bool()>& enough) {
  const std::vector<std::int64_t> lengths = region.lengths;
  const auto& insts = region.region.insts;
  const auto makes_segdes = [&](std::size_t i) { return insts[i].op == Op::kMakeSegdes; };
  std::size_t last = insts.size();  // behind it nothing is learnt
  while (last > 0 && !makes_segdes(last - 1)) --last;
  Eager eager(context, region, region.inputs, failed);
  for (std::size_t i = 0; i < last; ++i) {
    eager.run_to(i + 1);
    if (!makes_segdes(i) || !enough()) continue;
    region.lengths = lengths;
    return false;
  }
  region.inputs.clear();  // what dies may be overwritten now
  eager.finish(outputs);
  return true;
}

}  // namespace nvm::vm
