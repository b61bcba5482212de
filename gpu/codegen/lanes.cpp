// Which kernels of a plan need not wait for each other: independent chains go on lanes of their own.
#include "gpu/codegen/lanes.h"

#include <algorithm>
#include <map>
#include <set>

namespace nvm::gpu {

namespace {

constexpr std::size_t kMostLanes = 4;

class LaneChooser {
 public:
  explicit LaneChooser(Code& code) : code_(code), plan_(code.plan) {}

  void choose() {
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
      const std::set<std::size_t> before = makers(plan_.kernels[k]);
      KernelCode& kernel = code_.kernels[k];
      kernel.lane = static_cast<int>(lane_behind(before));
      for (const std::size_t b : before) {
        const int other = code_.kernels[b].lane;
        if (other != kernel.lane &&
            std::find(kernel.after.begin(), kernel.after.end(), other) == kernel.after.end())
          kernel.after.push_back(other);
      }
      last_[static_cast<std::size_t>(kernel.lane)] = k;
      note_made(k);
    }
  }

 private:
  // Kernels that make what this one reads: vectors, and lengths counted.
  [[nodiscard]] std::set<std::size_t> makers(const plan::Kernel& kernel) const {
    std::set<std::size_t> out;
    const auto length = [&](LengthId n) {
      if (const auto it = counted_.find(n); it != counted_.end()) out.insert(it->second);
    };
    const auto var = [&](VarId v) {
      if (v == kNone) return;
      if (const auto it = made_.find(v); it != made_.end()) out.insert(it->second);
      const plan::Var& x = plan_.vars[static_cast<std::size_t>(v)];
      length(x.length);
      if (x.is_desc && x.total != kNone) length(x.total);
      const VarId offsets = code_.offsets_of[static_cast<std::size_t>(v)];
      if (const auto it = made_.find(offsets); offsets != kNone && it != made_.end()) out.insert(it->second);
    };
    length(kernel.space);
    for (const soac::BodyInst& in : kernel.body.insts)
      for (const VarId v : {in.var, in.desc, in.desc2}) var(v);
    for (const plan::Sink& s : kernel.sinks)
      for (const VarId v : {s.out, s.out_desc, s.desc, s.init}) var(v);
    return out;
  }
  void note_made(std::size_t k) {
    for (const plan::Sink& s : plan_.kernels[k].sinks) {
      for (const VarId v : {s.out, s.out_desc})
        if (v != kNone) made_[v] = k;
      if (s.out_length != kNone) counted_[s.out_length] = k;
    }
  }

  // The lane that ends with one of these; else one that is empty or, if there are enough, the one that has
  // waited longest.
  std::size_t lane_behind(const std::set<std::size_t>& before) {
    for (std::size_t l = 0; l < last_.size(); ++l)
      if (before.contains(last_[l])) return l;
    if (last_.size() < kMostLanes) {
      last_.push_back(0);
      return last_.size() - 1;
    }
    return static_cast<std::size_t>(std::min_element(last_.begin(), last_.end()) - last_.begin());
  }

  Code& code_;
  const plan::Plan& plan_;
  std::map<VarId, std::size_t> made_;
  std::map<LengthId, std::size_t> counted_;
  std::vector<std::size_t> last_;  // by lane, the last kernel
};

}  // namespace

void choose_lanes(Code& code) { LaneChooser(code).choose(); }

}  // namespace nvm::gpu
