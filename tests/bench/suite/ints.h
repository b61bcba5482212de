// What the workloads on vectors of INT have in common. INT of nvm is stored as narrow as the values allow;
// rivals get the same 32 bits.
#pragma once

#include "tests/bench/suite/floats.h"

namespace nvm::bench {

// n numbers of a stream, in [low, high).
[[nodiscard]] inline Array<std::int32_t> ints(const Problem& p, std::uint64_t stream, std::int64_t low,
                                              std::int64_t high) {
  Array<std::int32_t> a(p.n);
  const Draw draw(p.seed, stream);
  for (std::int64_t i = 0; i < p.n; ++i) a[i] = static_cast<std::int32_t>(low + draw.below(i, high - low));
  return a;
}

[[nodiscard]] inline Input sequence(const std::string& name, const Array<std::int32_t>& a) {
  return {name, "[int]", {sequence_of(a.size()), borrowed(a)}};
}

template <typename T>
[[nodiscard]] std::string same(std::span<const T> got, std::span<const T> want) {
  if (got.size() != want.size())
    return std::to_string(got.size()) + " elements, not " + std::to_string(want.size());
  const auto [g, w] = std::mismatch(got.begin(), got.end(), want.begin());
  return g == got.end() ? ""
                        : "element " + std::to_string(g - got.begin()) + " is " + std::to_string(*g) +
                              ", not " + std::to_string(*w);
}

}  // namespace nvm::bench
