// W20: each element over a sum; the sum taken before, or written inside the braces, where it must be hoisted.
#include <execution>
#include <functional>
#include <numeric>

#include "tests/bench/suite/floats.h"

namespace nvm::bench {

namespace {

struct Data {
  Array<double> x, want, hand, standard;
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

// `part` sums a part of the vector; `element` is what one element adds.
template <typename Element>
Instance normalise_by(const Problem& p, double (*part)(const double*, std::int64_t, std::int64_t),
                      Element element, const std::string& function) {
  const auto d = std::make_shared<Data>(
      Data{uniform(p, 1, -0.25, 0.75), Array<double>(p.n), Array<double>(p.n), Array<double>(p.n)});
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
  const auto standard = [d, p, element] {
    in_arena(p.threads, [&] {
      constexpr auto kPolicy = std::execution::par_unseq;
      const double s = std::transform_reduce(kPolicy, d->x.begin(), d->x.end(), 0.0, std::plus<>(), element);
      std::transform(kPolicy, d->x.begin(), d->x.end(), d->standard.begin(), [s](double x) { return x / s; });
    });
  };
  it.rivals.push_back({"std", "std::transform_reduce and std::transform(par_unseq)", standard,
                       [d] { return near(d->standard.all(), d->want.all(), 1e-12); }});
  return it;
}

Instance by_sum_as(const Problem& p, const std::string& function) {
  return normalise_by(
      p, plain_sum, [](double x) { return x; }, function);
}
Instance by_positive_sum_as(const Problem& p, const std::string& function) {
  return normalise_by(
      p, positive_sum, [](double x) { return x > 0 ? x : 0; }, function);
}

}  // namespace

Instance by_sum(const Problem& p) { return by_sum_as(p, "by_sum"); }
Instance by_positive_sum(const Problem& p) { return by_positive_sum_as(p, "by_positive_sum"); }
Instance by_sum_inside(const Problem& p) { return by_sum_as(p, "by_sum_inside"); }
Instance by_positive_sum_inside(const Problem& p) { return by_positive_sum_as(p, "by_positive_sum_inside"); }

}  // namespace nvm::bench
