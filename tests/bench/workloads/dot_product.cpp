// W1: the sum of products of two vectors. Reads 16 bytes and does one multiplication for each element.
#include <execution>
#include <numeric>

#include "tests/bench/suite/floats.h"

namespace nvm::bench {

namespace {

struct Data {
  Array<double> a, b;
  double want = 0, hand = 0, standard = 0;
};

double dot(const double* a, const double* b, std::int64_t begin, std::int64_t end) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = begin; i < end; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Instance dot_product(const Problem& p) {
  const auto d = std::make_shared<Data>(Data{uniform(p, 1), uniform(p, 2)});
  d->want = std::inner_product(d->a.begin(), d->a.end(), d->b.begin(), 0.0);
  Instance it;
  it.inputs = {floats("a", d->a), floats("b", d->b)};
  it.expression = "dot(a, b)";
  it.check = [d](Values v) { return near(first_float(v[0]), d->want, 1e-10); };
  it.rivals.push_back({"hand", "vectorised sum of products in a part for each thread",
                       [d, p] {
                         d->hand = sum_of_parts(
                             p, [&](auto lo, auto hi) { return dot(d->a.data(), d->b.data(), lo, hi); });
                       },
                       [d] { return near(d->hand, d->want, 1e-10); }});
  it.rivals.push_back({"std", "std::transform_reduce(par_unseq)",
                       [d, p] {
                         in_arena(p.threads, [&] {
                           d->standard = std::transform_reduce(std::execution::par_unseq, d->a.begin(),
                                                               d->a.end(), d->b.begin(), 0.0);
                         });
                       },
                       [d] { return near(d->standard, d->want, 1e-10); }});
  return it;
}

}  // namespace nvm::bench
