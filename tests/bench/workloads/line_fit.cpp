// W10: least squares line through points. Four sums, two of which need the mean first: two passes, or one
// with sums about a point that is only guessed.
#include <array>
#include <execution>
#include <functional>
#include <numeric>

#include "tests/bench/suite/floats.h"

namespace nvm::bench {

namespace {

struct Data {
  Array<double> x, y;
  double a = 0, b = 0;            // what is wanted
  double hand_a = 0, hand_b = 0;  // what the loops found
  double once_a = 0, once_b = 0;
  double standard_a = 0, standard_b = 0;
};

using Lanes = double __attribute__((vector_size(64), aligned(8)));

// N sums over a part for each thread, in two chains of eight lanes each; step adds to them what stands from x
// and y on.
template <std::size_t N, typename F>
std::array<double, N> sums(const Problem& p, const Data& d, F step) {
  std::vector<std::array<double, N>> of(static_cast<std::size_t>(p.threads));
  parts(p.threads, p.n, [&](std::int64_t lo, std::int64_t hi, int t) {
    Lanes even[N] = {}, odd[N] = {};
    const auto at = [](const double* v) { return *reinterpret_cast<const Lanes*>(v); };
    std::int64_t i = lo;
    for (; i + 16 <= hi; i += 16) {
      step(at(&d.x[i]), at(&d.y[i]), even);
      step(at(&d.x[i + 8]), at(&d.y[i + 8]), odd);
    }
    std::array<double, N> sum{};
    for (std::size_t k = 0; k < N; ++k)
      for (int lane = 0; lane < 8; ++lane) sum[k] += even[k][lane] + odd[k][lane];
    for (; i < hi; ++i) step(d.x[i], d.y[i], sum.data());
    of[static_cast<std::size_t>(t)] = sum;
  });
  std::array<double, N> all{};
  for (const auto& one : of)
    for (std::size_t k = 0; k < N; ++k) all[k] += one[k];
  return all;
}

void fit(const Problem& p, const Data& d, double& a, double& b) {
  const auto n = static_cast<double>(p.n);
  const auto means = sums<2>(p, d, [](auto x, auto y, auto* s) { s[0] += x, s[1] += y; });
  const double xa = means[0] / n, ya = means[1] / n;
  const auto about =
      sums<2>(p, d, [xa](auto x, auto y, auto* s) { s[0] += (x - xa) * (x - xa), s[1] += (x - xa) * y; });
  b = about[1] / about[0];
  a = ya - xa * b;
}

// Sums about the first point in place of the mean.
void fit_at_once(const Problem& p, const Data& d, double& a, double& b) {
  const auto n = static_cast<double>(p.n);
  const double x0 = d.x[0];
  const auto s = sums<4>(p, d, [x0](auto x, auto y, auto* sum) {
    const auto dx = x - x0;
    sum[0] += dx, sum[1] += y, sum[2] += dx * dx, sum[3] += dx * y;
  });
  b = (s[3] - s[0] * s[1] / n) / (s[2] - s[0] * s[0] / n);
  a = s[1] / n - (x0 + s[0] / n) * b;
}

struct Two {
  double first = 0, second = 0;
  friend Two operator+(const Two& a, const Two& b) { return {a.first + b.first, a.second + b.second}; }
};

void fit_by_library(const Data& d, double& a, double& b) {
  const auto n = static_cast<double>(d.x.size());
  const auto sum = [&](auto of) {
    return std::transform_reduce(std::execution::par_unseq, d.x.begin(), d.x.end(), d.y.begin(), Two(),
                                 std::plus<>(), of);
  };
  const Two totals = sum([](double x, double y) { return Two{x, y}; });
  const double xa = totals.first / n;
  const Two about = sum([xa](double x, double y) { return Two{(x - xa) * (x - xa), (x - xa) * y}; });
  b = about.second / about.first;
  a = totals.second / n - xa * b;
}

}  // namespace

Instance line_fit(const Problem& p) {
  const auto d = std::make_shared<Data>(Data{uniform(p, 1), uniform(p, 2)});
  for (std::int64_t i = 0; i < p.n; ++i) d->y[i] = 1.5 + 2.0 * d->x[i] + 0.1 * d->y[i];
  Problem serial = p;
  serial.threads = 1;
  fit(serial, *d, d->a, d->b);
  Instance it;
  it.inputs = {{"points", "[(float, float)]", {sequence_of(p.n), borrowed(d->x), borrowed(d->y)}}};
  it.expression = "line_fit(points)";
  it.check = [d](Values v) {
    return near(first_float(v[0]), d->a, 1e-8) + near(first_float(v[1]), d->b, 1e-8);
  };
  it.rivals.push_back({"hand", "two vectorised passes of two sums",
                       [d, p] { fit(p, *d, d->hand_a, d->hand_b); },
                       [d] { return near(d->hand_a, d->a, 1e-8) + near(d->hand_b, d->b, 1e-8); }});
  it.rivals.push_back({"at once", "one vectorised pass of four sums",
                       [d, p] { fit_at_once(p, *d, d->once_a, d->once_b); },
                       [d] { return near(d->once_a, d->a, 1e-8) + near(d->once_b, d->b, 1e-8); }});
  it.rivals.push_back(
      {"std", "std::transform_reduce(par_unseq) twice",
       [d, p] { in_arena(p.threads, [&] { fit_by_library(*d, d->standard_a, d->standard_b); }); },
       [d] { return near(d->standard_a, d->a, 1e-8) + near(d->standard_b, d->b, 1e-8); }});
  return it;
}

}  // namespace nvm::bench
