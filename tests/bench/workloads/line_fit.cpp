// W10: least squares line through points. Four sums, two of which need the mean first: two passes, or one
// with sums about a point that is only guessed.
#include "tests/bench/suite/floats.h"

namespace nvm::bench {

namespace {

struct Data {
  Array<double> x, y;
  double a = 0, b = 0;            // what is wanted
  double hand_a = 0, hand_b = 0;  // what the loops found
};

struct Sums {
  double first = 0, second = 0;
};

// Sums of f(i) = (first, second) over a part for each thread.
template <typename F>
Sums pair_sums(const Problem& p, F f) {
  std::vector<Sums> sums(static_cast<std::size_t>(p.threads));
  parts(p.threads, p.n, [&](std::int64_t lo, std::int64_t hi, int t) {
    double first = 0, second = 0;
#pragma omp simd reduction(+ : first, second)
    for (std::int64_t i = lo; i < hi; ++i) {
      const auto [a, b] = f(i);
      first += a, second += b;
    }
    sums[static_cast<std::size_t>(t)] = {first, second};
  });
  Sums all;
  for (const Sums& s : sums) all.first += s.first, all.second += s.second;
  return all;
}

void fit(const Problem& p, const Data& d, double& a, double& b) {
  const double *x = d.x.data(), *y = d.y.data(), n = static_cast<double>(p.n);
  const Sums means = pair_sums(p, [=](std::int64_t i) { return Sums{x[i], y[i]}; });
  const double xa = means.first / n, ya = means.second / n;
  const Sums about = pair_sums(p, [=](std::int64_t i) {
    return Sums{(x[i] - xa) * (x[i] - xa), (x[i] - xa) * y[i]};
  });
  b = about.second / about.first;
  a = ya - xa * b;
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
    return near(v[0].float_at(0), d->a, 1e-8) + near(v[1].float_at(0), d->b, 1e-8);
  };
  it.rivals.push_back({"hand", "two vectorised passes of two sums",
                       [d, p] { fit(p, *d, d->hand_a, d->hand_b); },
                       [d] { return near(d->hand_a, d->a, 1e-8) + near(d->hand_b, d->b, 1e-8); }});
  return it;
}

}  // namespace nvm::bench
