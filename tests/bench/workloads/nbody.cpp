// W19: gravity of n bodies on each other, all n squared pairs.
#include <cmath>
#include <functional>
#include <numeric>

#include "tests/bench/suite/floats.h"
#include "tests/bench/suite/standard.h"

namespace nvm::bench {

namespace {

struct Forces {
  Array<double> x, y, z;
  explicit Forces(std::int64_t n) : x(n), y(n), z(n) {}
};

struct Data {
  Array<double> x, y, z, m;
  Forces want, hand, standard;
};

void force_on(const Data& d, const Forces& out, std::int64_t i) {
  const double *x = d.x.data(), *y = d.y.data(), *z = d.z.data(), *m = d.m.data();
  const double px = x[i], py = y[i], pz = z[i];
  double fx = 0, fy = 0, fz = 0;
#pragma omp simd reduction(+ : fx, fy, fz)
  for (std::int64_t j = 0; j < d.x.size(); ++j) {
    const double dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
    const double r2 = dx * dx + dy * dy + dz * dz + 0.01, w = m[j] / (r2 * std::sqrt(r2));
    fx += dx * w, fy += dy * w, fz += dz * w;
  }
  out.x[i] = fx, out.y[i] = fy, out.z[i] = fz;
}

struct Pull {
  double x = 0, y = 0, z = 0;
  friend Pull operator+(const Pull& a, const Pull& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
};

// The standard library reduces two sequences side by side at most, so the others are reached by address.
Pull pull_on(const Data& d, std::int64_t i) {
  const double px = d.x[i], py = d.y[i], pz = d.z[i];
  return std::transform_reduce(std::execution::unseq, d.x.begin(), d.x.end(), Pull(), std::plus<>(),
                               [&, px, py, pz](const double& x) {
                                 const std::int64_t j = &x - d.x.data();
                                 const double dx = x - px, dy = d.y[j] - py, dz = d.z[j] - pz;
                                 const double r2 = dx * dx + dy * dy + dz * dz + 0.01;
                                 const double w = d.m[j] / (r2 * std::sqrt(r2));
                                 return Pull{dx * w, dy * w, dz * w};
                               });
}

std::string same_forces(const Forces& got, const Forces& want) {
  return near(got.x.all(), want.x.all(), 1e-8) + near(got.y.all(), want.y.all(), 1e-8) +
         near(got.z.all(), want.z.all(), 1e-8);
}

}  // namespace

Instance nbody(const Problem& p) {
  const auto d = std::make_shared<Data>(Data{uniform(p, 1), uniform(p, 2), uniform(p, 3),
                                             uniform(p, 4, 0.5, 1.5), Forces(p.n), Forces(p.n), Forces(p.n)});
  for (std::int64_t i = 0; i < p.n; ++i) force_on(*d, d->want, i);
  Instance it;
  it.inputs = {{"bodies",
                "[((float, float, float), float)]",
                {sequence_of(p.n), borrowed(d->x), borrowed(d->y), borrowed(d->z), borrowed(d->m)}}};
  it.expression = "{force(p, bodies) : (p, m) in bodies}";
  it.check = [d](Values v) {
    return near(v[1], d->want.x.all(), 1e-8) + near(v[2], d->want.y.all(), 1e-8) +
           near(v[3], d->want.z.all(), 1e-8);
  };
  it.rivals.push_back({"hand", "a vectorised loop over all bodies for each, with root and division",
                       [d, p] {
                         blocks(p.threads, p.n, 64, [&](std::int64_t lo, std::int64_t hi) {
                           for (std::int64_t i = lo; i < hi; ++i) force_on(*d, d->hand, i);
                         });
                       },
                       [d] { return same_forces(d->hand, d->want); }});
  it.rivals.push_back({"std", "std::for_each(par_unseq) over bodies, std::transform_reduce(unseq) in each",
                       [d, p] {
                         for_each_result(p.threads, d->standard.x, [&](std::int64_t i) {
                           const Pull pull = pull_on(*d, i);
                           d->standard.y[i] = pull.y, d->standard.z[i] = pull.z;
                           return pull.x;
                         });
                       },
                       [d] { return same_forces(d->standard, d->want); }});
  return it;
}

}  // namespace nvm::bench
