// W2: prices of European call options. Two logarithms, three exponentials and a root for each element. The
// file is compiled with -ffast-math: only then GCC calls the vector functions of libmvec in the hand-written
// loop.
#include <cmath>

#include "tests/bench/suite/floats.h"
#include "tests/bench/suite/standard.h"

namespace nvm::bench {

namespace {

struct Options {
  Array<double> spot, strike, years, rate, volatility;
};

struct Data {
  Options options;
  Array<double> want, hand, library, standard;
};

// The normal distribution, by the polynomial of Abramowitz and Stegun 26.2.17.
inline double normal(double x) {
  const double k = 1 / (1 + 0.2316419 * std::abs(x));
  const double tail =
      std::exp(-0.5 * x * x) * 0.39894228040143270 * k *
      (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  return x > 0 ? 1 - tail : tail;
}

inline double price(double s, double x, double years, double rate, double volatility) {
  const double root = volatility * std::sqrt(years);
  const double d1 = (std::log(s / x) + (rate + 0.5 * volatility * volatility) * years) / root;
  return s * normal(d1) - x * std::exp(-rate * years) * normal(d1 - root);
}

void prices(const Options& o, double* __restrict out, std::int64_t begin, std::int64_t end) {
  const double *s = o.spot.data(), *x = o.strike.data(), *t = o.years.data(), *r = o.rate.data(),
               *v = o.volatility.data();
#pragma omp simd
  for (std::int64_t i = begin; i < end; ++i) out[i] = price(s[i], x[i], t[i], r[i], v[i]);
}

// The same, one element after the other.
__attribute__((optimize("no-tree-vectorize"))) void prices_one_by_one(const Options& o, double* out,
                                                                      std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i)
    out[i] = price(o.spot[i], o.strike[i], o.years[i], o.rate[i], o.volatility[i]);
}

}  // namespace

Instance black_scholes(const Problem& p) {
  const auto d =
      std::make_shared<Data>(Data{{uniform(p, 1, 1, 101), uniform(p, 2, 1, 101), uniform(p, 3, 0.01, 1),
                                   uniform(p, 4, 0, 0.05), uniform(p, 5, 0.01, 0.4)},
                                  Array<double>(p.n),
                                  Array<double>(p.n),
                                  Array<double>(p.n),
                                  Array<double>(p.n)});
  prices_one_by_one(d->options, d->want.data(), 0, p.n);
  Instance it;
  it.inputs = {floats("spots", d->options.spot), floats("strikes", d->options.strike),
               floats("years", d->options.years), floats("rates", d->options.rate),
               floats("volatilities", d->options.volatility)};
  it.expression =
      "{call_price(s, x, y, r, v) : s in spots; x in strikes; y in years; r in rates; v in volatilities}";
  it.check = [d](Values v) { return near(v[1], d->want.all(), 1e-9); };
  it.rivals.push_back({"hand", "one loop, vectorised with libmvec",
                       [d, p] {
                         parts(p.threads, p.n,
                               [&](auto lo, auto hi, int) { prices(d->options, d->hand.data(), lo, hi); });
                       },
                       [d] { return near(d->hand.all(), d->want.all(), 1e-9); }});
  it.rivals.push_back({"library", "parallel loop that calls libm for each element",
                       [d, p] {
                         blocks(p.threads, p.n, 1 << 14, [&](auto lo, auto hi) {
                           prices_one_by_one(d->options, d->library.data(), lo, hi);
                         });
                       },
                       [d] { return near(d->library.all(), d->want.all(), 1e-9); }});
  it.rivals.push_back({"std", "std::for_each(par_unseq)",
                       [d, p] {
                         const Options& o = d->options;
                         for_each_result(p.threads, d->standard, [&](std::int64_t i) {
                           return price(o.spot[i], o.strike[i], o.years[i], o.rate[i], o.volatility[i]);
                         });
                       },
                       [d] { return near(d->standard.all(), d->want.all(), 1e-9); }});
  return it;
}

}  // namespace nvm::bench
