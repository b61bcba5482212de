// Regions of one FLOAT fold of more than 2048 blocks: over the whole space, over segments, or of what a
// filter keeps; on numbers whose sums depend on their order.
#pragma once

#include <cmath>
#include <random>
#include <string>

#include "tests/support/fixed_tree.h"
#include "tests/support/fused.h"
#include "tests/support/plan_runner.h"

namespace nvm::testing {

enum class FoldOf : std::uint8_t { kWhole, kSegments, kKept };

class LongFold {
 public:
  LongFold(FoldOf of, bool scan, std::int64_t longest = std::int64_t{2048} * (2048 + 39) + 5)
      : lengths_{100, longest, 7, 3000} {
    for (const std::int64_t n : lengths_) all_ += n;
    if (of != FoldOf::kSegments) lengths_ = {all_};
    const auto space = region_.length();
    const auto segments = region_.length();
    const auto desc = of == FoldOf::kSegments ? region_.segments(segments, space) : region_.whole(space);
    const auto x = region_.vector(Type::kFloat, space);
    const bool filtered = of == FoldOf::kKept;
    const auto flags = filtered ? region_.vector(Type::kBool, space) : soac::kNone;
    const auto var = filtered ? region_.op(Op::kPack, TypeWord::kFloat, {x, flags, desc}) : x;
    const auto over = filtered ? region_.second_result() : desc;
    out_ = region_.op(scan ? Op::kAddScan : Op::kAddReduce, TypeWord::kFloat, {var, over});
    region_.live(out_);
    plan = test::fuse_all(region_, plan::Fusion::kGreedy).plan;
    inputs.vectors.resize(plan.vars.size());
    inputs.descs.resize(plan.vars.size());
    inputs.lengths.resize(plan.lengths.size());
    inputs.lengths[static_cast<std::size_t>(space)] = all_;
    inputs.lengths[static_cast<std::size_t>(segments)] = static_cast<std::int64_t>(lengths_.size());
    inputs.descs[static_cast<std::size_t>(desc)] = lengths_;
    fill(x, flags, scan);
  }
  // In words, where the fold is not as wanted; empty if it is.
  [[nodiscard]] std::string difference(const Bindings& got) const {
    Bindings want = got;
    auto& v = want.vectors[static_cast<std::size_t>(out_)];
    v.clear();
    for (const double e : want_) v.push_back({0, e});
    return differences(plan, want, got);
  }
  plan::Plan plan;
  Bindings inputs;

 private:
  void fill(soac::VarId x, soac::VarId flags, bool scan) {
    std::mt19937_64 rng(1);
    Floats folds;
    for (std::int64_t i = 0; i < all_; ++i) {
      const double digits = static_cast<double>(rng() % 2001) - 1000.0;
      const double e = std::ldexp(digits, static_cast<int>(rng() % 40));
      const bool keep = flags == soac::kNone || rng() % 1024 != 0;
      inputs.vectors[static_cast<std::size_t>(x)].push_back({0, e});
      if (flags != soac::kNone) inputs.vectors[static_cast<std::size_t>(flags)].push_back({keep ? 1 : 0, 0});
      if (keep) folds.push_back(e);
    }
    const Lengths kept = {static_cast<std::int64_t>(folds.size())};
    want_ = folded(Scalar::kAdd, scan, folds, flags == soac::kNone ? lengths_ : kept);
  }

  test::RegionBuilder region_;
  Lengths lengths_;
  std::int64_t all_ = 0;
  soac::VarId out_ = 0;
  Floats want_;
};

}  // namespace nvm::testing
