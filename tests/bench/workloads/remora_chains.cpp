// R2 and R5: chains over frames in Remora. Values of a polynomial; mean and variance of rows.
#include "tests/bench/suite/ints.h"
#include "tests/bench/workloads/remora.h"

namespace nvm::bench {

namespace {

constexpr std::int64_t kCoefficients[] = {3, -1, 4, 1, -5, 9, 2, -6};
constexpr std::int64_t kRow = 100;

struct Points {
  Array<std::int32_t> x;
  Array<std::int64_t> want, hand;
};

std::int64_t value_at(std::int64_t x) {
  std::int64_t v = 0;
  for (std::size_t k = std::size(kCoefficients); k-- > 0;) v = v * x + kCoefficients[k];
  return v;
}

struct Rows {
  std::int64_t count = 0;
  Array<double> x, want, hand;
};

double variance_of(const double* x) {
  double sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < kRow; ++i) sum += x[i];
  const double mean = sum / static_cast<double>(kRow);
#pragma omp simd reduction(+ : squares)
  for (std::int64_t i = 0; i < kRow; ++i) squares += (x[i] - mean) * (x[i] - mean);
  return squares / static_cast<double>(kRow);
}

}  // namespace

Instance remora_polynomial(const Problem& p) {
  const auto d = std::make_shared<Points>(
      Points{ints(p, 1, -100, 100), Array<std::int64_t>(p.n), Array<std::int64_t>(p.n)});
  for (std::int64_t i = 0; i < p.n; ++i) d->want[i] = value_at(d->x[i]);
  Instance it;
  it.inputs = {array_of("x", {p.n}, d->x)};
  it.expression = "(poly-eval [3 -1 4 1 -5 9 2 -6] x)";
  it.check = [d](Values v) { return equal(v[1], d->want.all()); };
  it.rivals.push_back({"hand", "Horner's scheme, vectorised, a part for each thread",
                       [d, p] {
                         parts(p.threads, p.n, [&](std::int64_t lo, std::int64_t hi, int) {
                           const std::int32_t* x = d->x.data();
                           std::int64_t* __restrict out = d->hand.data();
#pragma omp simd
                           for (std::int64_t i = lo; i < hi; ++i) out[i] = value_at(x[i]);
                         });
                       },
                       [d] { return same<std::int64_t>(d->hand.all(), d->want.all()); }});
  return it;
}

Instance remora_variance(const Problem& p) {
  const std::int64_t count = std::max<std::int64_t>(1, p.n / kRow);
  Problem all = p;
  all.n = count * kRow;
  const auto d =
      std::make_shared<Rows>(Rows{count, uniform(all, 1), Array<double>(count), Array<double>(count)});
  for (std::int64_t i = 0; i < count; ++i) d->want[i] = variance_of(d->x.data() + i * kRow);
  Instance it;
  it.n = all.n;
  it.inputs = {array_of("m", {count, kRow}, d->x)};
  it.expression = "(variance m)";
  it.check = [d](Values v) { return near(v[1], d->want.all(), 1e-10); };
  it.rivals.push_back({"hand", "two vectorised loops over each row, which the cache holds",
                       [d, p, count] {
                         parts(p.threads, count, [&](std::int64_t lo, std::int64_t hi, int) {
                           for (std::int64_t i = lo; i < hi; ++i)
                             d->hand[i] = variance_of(d->x.data() + i * kRow);
                         });
                       },
                       [d] { return near(d->hand.all(), d->want.all(), 1e-10); }});
  return it;
}

}  // namespace nvm::bench
