#include "vm/trace/recorder.h"

namespace nvm::vm {

using soac::kNone;
using soac::LengthId;
using soac::RegionInst;
using soac::Var;
using soac::VarId;
using soac::VarRole;

namespace {

class Compactor {
 public:
  Compactor(RecordedRegion& from, std::vector<VarId>& renamed, std::vector<LengthId>& lengths)
      : from_(from),
        renamed_(renamed),
        symbols_(lengths),
        needed_(from.region.vars.size(), false),
        length_needed_(from.region.lengths.size(), false) {
    renamed_.assign(from.region.vars.size(), kNone);
    symbols_.assign(from.region.lengths.size(), kNone);
  }

  RecordedRegion run() {
    const std::vector<bool> keep = needed_insts();
    to_.stop = from_.stop;
    to_.begun = from_.begun;
    to_.trails = std::move(from_.trails);
    to_.draws = std::move(from_.draws);
    to_.region.int_bits = from_.region.int_bits;
    to_.region.insts.reserve(from_.region.insts.size());
    to_.sites.reserve(from_.region.insts.size());
    to_.region.vars.reserve(from_.region.vars.size());
    to_.inputs.reserve(from_.region.vars.size());
    to_.region.lengths.reserve(from_.lengths.size());
    to_.lengths.reserve(from_.lengths.size());
    symbol(0);  // one is always the first length
    for (std::size_t i = 0; i < keep.size(); ++i)
      if (keep[i]) take(from_.region.insts[i]);
    for (std::size_t i = 0; i < from_.region.vars.size(); ++i)
      if (from_.region.vars[i].role == VarRole::kOutput) rename(static_cast<VarId>(i));
    for (const std::int64_t n : to_.lengths) to_.region.small &= n < std::int64_t{1} << 31;
    return std::move(to_);
  }

 private:
  [[nodiscard]] const Var& var(VarId x) const { return from_.region.vars[static_cast<std::size_t>(x)]; }

  // A vector is needed together with the filter that counts its length.
  void need(VarId x) {
    needed_[static_cast<std::size_t>(x)] = true;
    length_needed_[static_cast<std::size_t>(var(x).length)] = true;
    if (var(x).is_desc) length_needed_[static_cast<std::size_t>(var(x).total)] = true;
  }

  std::vector<bool> needed_insts() {
    const auto& insts = from_.region.insts;
    std::vector<bool> keep(insts.size(), false);
    for (std::size_t i = 0; i < needed_.size(); ++i)
      if (from_.region.vars[i].role == VarRole::kOutput) need(static_cast<VarId>(i));
    for (std::size_t i = insts.size(); i-- > 0;) {
      const RegionInst& in = insts[i];
      bool wanted = in.op == Op::kIf || op_info(in.op).effect != Effect::kPure;  // also RAND, which may fail
      for (const VarId r : in.results) wanted |= needed_[static_cast<std::size_t>(r)];
      if (in.op == Op::kPack) wanted |= length_needed_[static_cast<std::size_t>(var(in.results[0]).length)];
      keep[i] = wanted;
      if (!wanted) continue;
      for (const VarId x : in.operands) need(x);
    }
    return keep;
  }

  void take(const RegionInst& from) {
    RegionInst& in = to_.region.insts.emplace_back(from);
    for (VarId& x : in.operands) x = rename(x);
    for (VarId& r : in.results) r = rename(r);
    to_.sites.push_back(from_.sites[static_cast<std::size_t>(in.site)]);
    in.site = static_cast<std::int32_t>(to_.sites.size() - 1);
  }

  VarId rename(VarId x) {
    VarId& r = renamed_[static_cast<std::size_t>(x)];
    if (r != kNone) return r;
    r = static_cast<VarId>(to_.region.vars.size());
    Var v = var(x);
    v.length = symbol(v.length);
    if (v.is_desc) v.total = symbol(v.total);
    to_.region.vars.push_back(v);
    to_.inputs.push_back(std::move(from_.inputs[static_cast<std::size_t>(x)]));
    return r;
  }

  LengthId symbol(LengthId n) {
    LengthId& s = symbols_[static_cast<std::size_t>(n)];
    if (s != kNone) return s;
    s = static_cast<LengthId>(to_.region.lengths.size());
    to_.region.lengths.push_back(from_.region.lengths[static_cast<std::size_t>(n)]);
    to_.lengths.push_back(from_.lengths[static_cast<std::size_t>(n)]);
    return s;
  }

  RecordedRegion& from_;
  std::vector<VarId>& renamed_;
  std::vector<LengthId>& symbols_;  // by LengthId, in the new region
  RecordedRegion to_;
  std::vector<bool> needed_;         // by VarId
  std::vector<bool> length_needed_;  // by LengthId
};

}  // namespace

RecordedRegion compact(RecordedRegion& recorded, std::vector<VarId>& renamed,
                       std::vector<LengthId>& lengths) {
  return Compactor(recorded, renamed, lengths).run();
}

}  // namespace nvm::vm
