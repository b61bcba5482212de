// Folds of what filters keep: regions with filters in front of FLOAT reductions and scans, data whose sums
// differ by the order of their additions, and what the results are: the elements picked out, then folded by
// the model of the fixed tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fixed_tree.h"
#include "tests/support/fused.h"
#include "tests/support/plan_runner.h"

namespace nvm::testing {

// --------------------------------------------------------------------------------------------- the data

enum class Kept : std::uint8_t { kNone, kAll, kHalf, kFew, kRuns, kFirst, kLast };
inline constexpr int kKeptWays = 7;

[[nodiscard]] inline std::vector<bool> kept_flags(Kept way, std::int64_t n, std::mt19937_64& rng) {
  std::vector<bool> keep;
  bool run = false;
  for (std::int64_t i = 0; i < n; ++i) {
    if (rng() % 700 == 0) run = !run;
    const bool k = way == Kept::kAll || (way == Kept::kHalf && rng() % 2 == 0) ||
                   (way == Kept::kFew && rng() % 32 == 0) || (way == Kept::kRuns && run) ||
                   (way == Kept::kFirst && i < 33) || (way == Kept::kLast && i >= n - 32);
    keep.push_back(k);
  }
  return keep;
}

// Numbers between `least` and `most` powers of ten, and now and then what folds are careful about.
[[nodiscard]] inline Floats hostile(std::int64_t n, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> digits(1.0, 10.0);
  const int spans[] = {1, 8, 30, 300};
  const int span = spans[rng() % 4];
  const std::uint64_t odd = rng() % 3 == 0 ? 50 : std::numeric_limits<std::uint64_t>::max();
  constexpr double kOdd[] = {0.0, -0.0, 1e300, -1e300, 1e-300, INFINITY, -INFINITY, NAN};
  Floats x;
  for (std::int64_t i = 0; i < n; ++i) {
    const double sign = rng() % 2 == 0 ? 1.0 : -1.0;
    const auto power = static_cast<int>(rng() % static_cast<std::uint64_t>(2 * span + 1)) - span;
    x.push_back(rng() % odd == 0 ? kOdd[rng() % (rng() % 2 == 0 ? 5 : 8)]
                                 : sign * digits(rng) * std::pow(10.0, power));
  }
  return x;
}

// ------------------------------------------------------------------------------------------- the regions

struct Wanted {
  soac::VarId out;
  Floats values;
};

// A region, what it is run on and what comes out.
class KeptFolds {
 public:
  KeptFolds(std::uint64_t seed, std::int64_t n) : rng_(seed), n_(n) {
    space_ = region_.length();
    segments_ = region_.length();
    choose_lengths();
    const soac::VarId whole = region_.whole(space_);
    const soac::VarId parts = region_.segments(segments_, space_);
    x_ = hostile(n, rng_);
    input_ = region_.vector(Type::kFloat, space_);
    const bool by_segment = rng_() % 3 == 0;
    const Part all = by_segment ? Part{input_, parts, lengths_, x_} : Part{input_, whole, {n}, x_};
    Part kept = filtered(all, false);
    if (rng_() % 3 == 0) kept = filtered(kept, true);
    if (rng_() % 2 == 0) kept = squared(kept);
    const int folds = 1 + static_cast<int>(rng_() % 3);
    for (int i = 0; i < folds; ++i) fold(kept);
    beside(whole, parts);
  }

  [[nodiscard]] plan::Plan plan(plan::Fusion fusion = plan::Fusion::kGreedy) const {
    return test::fuse_all(region_, fusion).plan;
  }
  [[nodiscard]] const std::vector<Wanted>& wanted() const { return wanted_; }
  [[nodiscard]] Bindings bindings(const plan::Plan& plan) const {
    Bindings b;
    b.vectors.resize(plan.vars.size());
    b.descs.resize(plan.vars.size());
    b.lengths.resize(plan.lengths.size());
    b.lengths[static_cast<std::size_t>(space_)] = n_;
    b.lengths[static_cast<std::size_t>(segments_)] = static_cast<std::int64_t>(lengths_.size());
    for (const double x : x_) b.vectors[static_cast<std::size_t>(input_)].push_back({0, x});
    for (const auto& [var, keep] : flags_)
      for (const bool k : keep) b.vectors[static_cast<std::size_t>(var)].push_back({k ? 1 : 0, 0});
    for (std::size_t v = 0; v < plan.vars.size(); ++v)
      if (plan.vars[v].is_desc && plan.vars[v].role == plan::VarRole::kInput)
        b.descs[v] = plan.vars[v].form == plan::DescForm::kOneSegment ? Lengths{n_} : lengths_;
    return b;
  }
  // In words, where results are not as wanted; empty if they are.
  [[nodiscard]] std::string difference(const plan::Plan& plan, const Bindings& got) const {
    Bindings want = got;
    for (const Wanted& w : wanted_) {
      auto& v = want.vectors[static_cast<std::size_t>(w.out)];
      v.clear();
      for (const double x : w.values) v.push_back({0, x});
    }
    return differences(plan, want, got);
  }

 private:
  // A vector of the region: its elements and the segments they lie in.
  struct Part {
    soac::VarId var, desc;
    Lengths lengths;
    Floats x;
  };

  void choose_lengths() {
    const std::uint64_t most = 1 + (std::uint64_t{1} << rng_() % 18);
    for (std::int64_t left = n_; left > 0;) {
      const auto take = std::min(left, static_cast<std::int64_t>(rng_() % most));
      lengths_.push_back(take);
      left -= take;
    }
    if (rng_() % 2 == 0) lengths_.push_back(0);
  }
  // By given flags, or those that are less than their squares.
  Part filtered(const Part& from, bool computed) {
    std::vector<bool> keep;
    soac::VarId flags = soac::kNone;
    if (computed) {
      flags = region_.op(Op::kLt, TypeWord::kFloat, {from.var, squared(from).var});
      for (const double x : from.x) keep.push_back(x < x * x);
    } else {
      flags = region_.vector(Type::kBool, space_);
      keep = kept_flags(static_cast<Kept>(rng_() % kKeptWays), n_, rng_);
      flags_.emplace_back(flags, keep);
    }
    Part to;
    to.var = region_.op(Op::kPack, TypeWord::kFloat, {from.var, flags, from.desc});
    to.desc = region_.second_result();
    std::size_t i = 0;
    for (const std::int64_t n : from.lengths) {
      to.lengths.push_back(0);
      for (const std::size_t end = i + static_cast<std::size_t>(n); i < end; ++i) {
        if (!keep[i]) continue;
        to.x.push_back(from.x[i]);
        ++to.lengths.back();
      }
    }
    return to;
  }
  Part squared(Part p) {
    p.var = region_.op(Op::kMul, TypeWord::kFloat, {p.var, p.var});
    for (double& x : p.x) x = x * x;
    return p;
  }
  void fold(const Part& p) {
    struct Row {
      Scalar op;
      Op reduce, scan;
    };
    static constexpr Row kRows[] = {{Scalar::kAdd, Op::kAddReduce, Op::kAddScan},
                                    {Scalar::kAdd, Op::kAddReduce, Op::kAddScan},
                                    {Scalar::kMul, Op::kMulReduce, Op::kMulScan},
                                    {Scalar::kMax, Op::kMaxReduce, Op::kMaxScan},
                                    {Scalar::kMin, Op::kMinReduce, Op::kMinScan}};
    const Row& row = kRows[rng_() % std::size(kRows)];
    const bool scan = rng_() % 3 == 0;
    const soac::VarId out = region_.op(scan ? row.scan : row.reduce, TypeWord::kFloat, {p.var, p.desc});
    region_.live(out);
    wanted_.push_back({out, folded(row.op, scan, p.x, p.lengths)});
  }
  // Folds of all elements, which may share the kernel.
  void beside(soac::VarId whole, soac::VarId parts) {
    const auto also = [&](Op op, bool scan, soac::VarId desc, const Lengths& lengths) {
      const soac::VarId out = region_.op(op, TypeWord::kFloat, {input_, desc});
      region_.live(out);
      wanted_.push_back({out, folded(Scalar::kAdd, scan, x_, lengths)});
    };
    if (rng_() % 4 == 0) also(Op::kAddReduce, false, whole, {n_});
    if (rng_() % 4 == 0) also(Op::kAddScan, true, whole, {n_});
    if (rng_() % 6 == 0) also(Op::kAddReduce, false, parts, lengths_);
  }

  std::mt19937_64 rng_;
  std::int64_t n_;
  test::RegionBuilder region_;
  soac::LengthId space_ = 0, segments_ = 0;
  soac::VarId input_ = 0;
  Lengths lengths_;
  Floats x_;
  std::vector<std::pair<soac::VarId, std::vector<bool>>> flags_;
  std::vector<Wanted> wanted_;
};

}  // namespace nvm::testing
