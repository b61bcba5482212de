// W20: each element over a sum; the sum taken before, or written inside the braces, where it must be hoisted.
#include <numeric>

#include "tests/bench/suite/floats.h"

namespace nvm::bench {

namespace {

struct Data {
  Array<double> x, want, hand;
};

double plain_sum(const double* x, std::int64_t lo, std::int64_t hi) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = lo; i < hi; ++i) sum += x[i];
  return sum;
}

double positive_sum(const double* x, std::int64_t lo, std::int64_t hi) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = lo; i < hi; ++i) sum += x[i] > 0 ? x[i] : 0;
  return sum;
}

Instance normalise_by(const Problem& p, double (*part)(const double*, std::int64_t, std::int64_t),
                      const std::string& function) {
  const auto d =
      std::make_shared<Data>(Data{uniform(p, 1, -0.25, 0.75), Array<double>(p.n), Array<double>(p.n)});
  const double sum = part(d->x.data(), 0, p.n);
  for (std::int64_t i = 0; i < p.n; ++i) d->want[i] = d->x[i] / sum;
  Instance it;
  it.inputs = {floats("xs", d->x)};
  it.expression = function + "(xs)";
  it.check = [d](Values v) { return near(v[1], d->want.all(), 1e-12); };
  const auto hand = [d, p, part] {
    const double s = sum_of_parts(p, [&](auto lo, auto hi) { return part(d->x.data(), lo, hi); });
    parts(p.threads, p.n, [&](std::int64_t lo, std::int64_t hi, int) {
      const double* x = d->x.data();
      double* __restrict out = d->hand.data();
      for (std::int64_t i = lo; i < hi; ++i) out[i] = x[i] / s;
    });
  };
  it.rivals.push_back({"hand", "a pass for the sum, a pass for the quotients", hand,
                       [d] { return near(d->hand.all(), d->want.all(), 1e-12); }});
  return it;
}

}  // namespace

Instance by_sum(const Problem& p) { return normalise_by(p, plain_sum, "by_sum"); }
Instance by_positive_sum(const Problem& p) { return normalise_by(p, positive_sum, "by_positive_sum"); }
Instance by_sum_inside(const Problem& p) { return normalise_by(p, plain_sum, "by_sum_inside"); }
Instance by_positive_sum_inside(const Problem& p) {
  return normalise_by(p, positive_sum, "by_positive_sum_inside");
}

}  // namespace nvm::bench
