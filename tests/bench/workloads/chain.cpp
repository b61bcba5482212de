// W17: ten elementwise operations. One pass if they are fused, ten if not.
#include <immintrin.h>

#include <algorithm>
#include <execution>

#include "tests/bench/suite/floats.h"

namespace nvm::bench {

namespace {

struct Data {
  Array<double> x, want, hand, standard;
};

template <typename V>
V polynomial(V x) {
  return ((((x * 1.5 + 2.0) * x - 0.5) * x + 3.0) * 0.25 + x) * x - 1.0;
}

// The results are not read soon: they go past the caches.
void stream(const double* x, double* y, std::int64_t n) {
  std::int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 8 <= n; i += 8) _mm512_stream_pd(y + i, polynomial(_mm512_load_pd(x + i)));
#endif
  for (; i < n; ++i) y[i] = polynomial(x[i]);
}

}  // namespace

Instance chain(const Problem& p) {
  const auto d =
      std::make_shared<Data>(Data{uniform(p, 1), Array<double>(p.n), Array<double>(p.n), Array<double>(p.n)});
  std::transform(d->x.begin(), d->x.end(), d->want.begin(), polynomial<double>);
  Instance it;
  it.inputs = {floats("xs", d->x)};
  it.expression = "chain(xs)";
  it.check = [d](Values v) { return near(v[1], d->want.all(), 1e-14); };
  const auto hand = [d, p] {
    parts(p.threads, p.n, [&](std::int64_t lo, std::int64_t hi, int) {
      stream(d->x.data() + lo, d->hand.data() + lo, hi - lo);
    });
  };
  it.rivals.push_back({"hand", "one fused, vectorised loop that writes past the caches", hand,
                       [d] { return near(d->hand.all(), d->want.all(), 1e-14); }});
  it.rivals.push_back({"std", "std::transform(par_unseq)",
                       [d, p] {
                         in_arena(p.threads, [&] {
                           std::transform(std::execution::par_unseq, d->x.begin(), d->x.end(),
                                          d->standard.begin(), polynomial<double>);
                         });
                       },
                       [d] { return near(d->standard.all(), d->want.all(), 1e-14); }});
  return it;
}

}  // namespace nvm::bench
