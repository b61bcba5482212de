// W21: a hundred sweeps of a three-point stencil over a circle.
#include <algorithm>
#include <execution>
#include <utility>

#include "tests/bench/suite/floats.h"

namespace nvm::bench {

namespace {

constexpr int kSweeps = 100;
constexpr double kThird = 0.3333333333;

struct Data {
  Array<double> input, want, hand, tiled, standard, spare;
};

void inner_sweep(const double* v, double* __restrict out, std::int64_t lo, std::int64_t hi) {
  for (std::int64_t i = lo; i < hi; ++i) out[i] = (v[i - 1] + v[i] + v[i + 1]) * kThird;
}

// One pass over memory for each sweep. The result is in v: the number of sweeps is even.
void sweep_by_sweep(double* v, double* spare, std::int64_t n, int threads) {
  for (int s = 0; s < kSweeps; ++s) {
    parts(threads, n, [&](std::int64_t lo, std::int64_t hi, int) {
      inner_sweep(v, spare, std::max<std::int64_t>(lo, 1), std::min(hi, n - 1));
    });
    spare[0] = (v[n - 1] + v[0] + v[1]) * kThird;
    spare[n - 1] = (v[n - 2] + v[n - 1] + v[0]) * kThird;
    std::swap(v, spare);
  }
}

// All sweeps over a block and its surroundings, which shrink by one on each side with each sweep.
void blocks_in_time(const Array<double>& in, const Array<double>& out, int threads) {
  constexpr std::int64_t kBlock = 16384;
  const std::int64_t n = in.size();
  blocks(threads, n, kBlock, [&](std::int64_t lo, std::int64_t hi) {
    const std::int64_t length = hi - lo + 2 * kSweeps;
    std::vector<double> a(static_cast<std::size_t>(length)), b(a);
    for (std::int64_t i = 0; i < length; ++i)
      a[static_cast<std::size_t>(i)] = in[((lo - kSweeps + i) % n + n) % n];
    double *v = a.data(), *spare = b.data();
    for (int s = 0; s < kSweeps; ++s) {
      inner_sweep(v, spare, s + 1, length - s - 1);
      std::swap(v, spare);
    }
    std::copy(v + kSweeps, v + kSweeps + hi - lo, out.data() + lo);
  });
}

void sweep_by_library(double* v, double* spare, std::int64_t n) {
  for (int s = 0; s < kSweeps; ++s) {
    std::for_each(std::execution::par_unseq, spare + 1, spare + n - 1, [v, spare](double& out) {
      const double* at = v + (&out - spare);
      out = (at[-1] + at[0] + at[1]) * kThird;
    });
    spare[0] = (v[n - 1] + v[0] + v[1]) * kThird;
    spare[n - 1] = (v[n - 2] + v[n - 1] + v[0]) * kThird;
    std::swap(v, spare);
  }
}

}  // namespace

Instance stencil(const Problem& p) {
  const auto d = std::make_shared<Data>(Data{uniform(p, 1), Array<double>(p.n), Array<double>(p.n),
                                             Array<double>(p.n), Array<double>(p.n), Array<double>(p.n)});
  std::copy(d->input.begin(), d->input.end(), d->want.begin());
  sweep_by_sweep(d->want.data(), d->spare.data(), p.n, 1);
  Instance it;
  it.inputs = {floats("v", d->input)};
  it.expression = "sweeps(v, " + std::to_string(kSweeps) + ")";
  it.check = [d](Values v) { return near(v[1], d->want.all(), 1e-12); };
  const auto swept = [d](const Array<double>& v) {
    return [d, &v] { return near(v.all(), d->want.all(), 1e-12); };
  };
  it.rivals.push_back({"hand", "a pass for each sweep",
                       [d, p] { sweep_by_sweep(d->hand.data(), d->spare.data(), p.n, p.threads); },
                       swept(d->hand),
                       [d] { std::copy(d->input.begin(), d->input.end(), d->hand.begin()); }});
  it.rivals.push_back({"tiled", "all sweeps of a block of L2 before the next block",
                       [d, p] { blocks_in_time(d->input, d->tiled, p.threads); }, swept(d->tiled)});
  it.rivals.push_back(
      {"std", "std::for_each(par_unseq) for each sweep",
       [d, p] { in_arena(p.threads, [&] { sweep_by_library(d->standard.data(), d->spare.data(), p.n); }); },
       swept(d->standard), [d] { std::copy(d->input.begin(), d->input.end(), d->standard.begin()); }});
  return it;
}

}  // namespace nvm::bench
