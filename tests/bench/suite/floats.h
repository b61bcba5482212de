// What the workloads on vectors of FLOAT have in common.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/bench/suite/array.h"
#include "tests/bench/suite/check.h"
#include "tests/bench/suite/parallel.h"
#include "tests/bench/suite/workload.h"

namespace nvm::bench {

// n numbers of a stream, uniform in [low, high).
[[nodiscard]] inline Array<double> uniform(const Problem& p, std::uint64_t stream, double low = 0,
                                           double high = 1) {
  Array<double> a(p.n);
  const Draw draw(p.seed, stream);
  for (std::int64_t i = 0; i < p.n; ++i) a[i] = low + (high - low) * draw.unit(i);
  return a;
}

// The vector as it lies.
template <typename T>
[[nodiscard]] lib::Value borrowed(const Array<T>& a) {
  return lib::foreign(a.data(), a.size(), nullptr, nullptr);
}
// The descriptor of a sequence of n elements.
[[nodiscard]] inline lib::Value sequence_of(std::int64_t n) {
  const std::int64_t lengths[] = {n};
  return *lib::make_segdes(lengths);
}
[[nodiscard]] inline Input floats(const std::string& name, const Array<double>& a) {
  return {name, "[float]", {sequence_of(a.size()), borrowed(a)}};
}

// The sum of f(begin, end) over a part of [0, n) for each thread.
template <typename F>
double sum_of_parts(const Problem& p, F f) {
  std::vector<double> sums(static_cast<std::size_t>(p.threads));
  parts(p.threads, p.n,
        [&](std::int64_t lo, std::int64_t hi, int t) { sums[static_cast<std::size_t>(t)] = f(lo, hi); });
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
}

}  // namespace nvm::bench
