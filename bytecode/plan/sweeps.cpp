#include <algorithm>

#include "bytecode/plan/plan.h"

namespace nvm::plan {

namespace {

bool sweeps_first(const Sink& s) {
  return s.kind == SinkKind::kScan || s.kind == SinkKind::kSegScan || s.kind == SinkKind::kCount;
}

// A scan stands behind the scans that it depends on, so one pass over the sinks settles all.
class Sweeps {
 public:
  explicit Sweeps(const Kernel& kernel) : kernel_(kernel), sweep_(kernel.sinks.size(), kNone) {}

  std::vector<std::int32_t> run() {
    for (std::size_t i = 0; i < kernel_.sinks.size(); ++i) {
      const Sink& s = kernel_.sinks[i];
      if (!sweeps_first(s)) continue;
      find_values();
      sweep_[i] = value_[static_cast<std::size_t>(s.value)];
      if (s.filter == kNone) continue;
      const Sink& count = kernel_.sinks[static_cast<std::size_t>(s.filter)];
      sweep_[i] = std::max(sweep_[i], value_[static_cast<std::size_t>(count.value)]);
    }
    return std::move(sweep_);
  }

 private:
  void find_values() {
    value_.assign(kernel_.body.insts.size(), 0);
    for (std::size_t v = 0; v < value_.size(); ++v) {
      const soac::BodyInst& in = kernel_.body.insts[v];
      if (in.pull == soac::Pull::kScanned) {
        value_[v] = sweep_[static_cast<std::size_t>(in.a)] + 1;
        continue;
      }
      for (const std::int32_t arg : {in.a, in.b, in.c})
        if (arg != kNone) value_[v] = std::max(value_[v], value_[static_cast<std::size_t>(arg)]);
    }
  }

  const Kernel& kernel_;
  std::vector<std::int32_t> sweep_;
  std::vector<std::int32_t> value_;
};

}  // namespace

std::vector<std::int32_t> sweeps(const Kernel& kernel) { return Sweeps(kernel).run(); }

}  // namespace nvm::plan
