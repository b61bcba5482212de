// R6: the Game of Life on a torus of n cells, ten steps, in Remora.
#include <cmath>

#include "tests/bench/suite/ints.h"
#include "tests/bench/workloads/remora.h"

namespace nvm::bench {

namespace {

constexpr int kSteps = 10;

struct Data {
  std::int64_t side = 0;
  Array<std::int32_t> start, want, a, b;
};

void step(const std::int32_t* from, std::int32_t* __restrict to, std::int64_t n, std::int64_t first,
          std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i) {
    const std::int32_t* here = from + i * n;
    const std::int32_t* above = from + (i == 0 ? n - 1 : i - 1) * n;
    const std::int32_t* below = from + (i + 1 == n ? 0 : i + 1) * n;
    const auto cell = [&](std::int64_t l, std::int64_t j, std::int64_t r) {
      const std::int32_t around =
          above[l] + above[j] + above[r] + here[l] + here[r] + below[l] + below[j] + below[r];
      return static_cast<std::int32_t>((around == 3) | ((around == 2) & (here[j] == 1)));
    };
    to[i * n] = cell(n - 1, 0, n == 1 ? 0 : 1);
#pragma omp simd
    for (std::int64_t j = 1; j < n - 1; ++j) to[i * n + j] = cell(j - 1, j, j + 1);
    if (n > 1) to[i * n + n - 1] = cell(n - 2, n - 1, 0);
  }
}

void run(const Data& d, const Array<std::int32_t>& out, const Array<std::int32_t>& other, int threads) {
  std::copy(d.start.begin(), d.start.end(), out.begin());
  for (int s = 0; s < kSteps; ++s) {
    const Array<std::int32_t>&from = s % 2 == 0 ? out : other, &to = s % 2 == 0 ? other : out;
    parts(
        threads, d.side,
        [&](std::int64_t lo, std::int64_t hi, int) { step(from.data(), to.data(), d.side, lo, hi); }, 1);
  }
}

}  // namespace

Instance remora_life(const Problem& p) {
  const auto side = std::max<std::int64_t>(3, std::lround(std::floor(std::sqrt(static_cast<double>(p.n)))));
  Problem all = p;
  all.n = side * side;
  const auto empty = [&] { return Array<std::int32_t>(all.n); };
  const auto d = std::make_shared<Data>(Data{side, ints(all, 1, 0, 2), empty(), empty(), empty()});
  run(*d, d->want, d->b, 1);
  Instance it;
  it.n = all.n;
  it.inputs = {array_of("g", {side, side}, d->start)};
  it.expression = "(life g " + std::to_string(kSteps) + ")";
  it.check = [d](Values v) { return equal(v[1], d->want.all()); };
  it.rivals.push_back({"hand", "rows among threads, vectorised, two grids in turn",
                       [d, p] { run(*d, d->a, d->b, p.threads); },
                       [d] { return same<std::int32_t>(d->a.all(), d->want.all()); }});
  return it;
}

}  // namespace nvm::bench
