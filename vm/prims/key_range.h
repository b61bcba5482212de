// The least and the largest of the keys that are ranked or sorted.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "vm/prims/kernels/kernels.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

// r[0] and r[1] of n > 0 keys; of FLOATs (`kFloat`, whatever T) in the total order of their bits.
template <bool kFloat, typename T>
void key_range(const kernels::Table& t, const T* v, std::int64_t n, std::int64_t* r) {
  if constexpr (kFloat) {
    t.float_range(v, n, r);
  } else if constexpr (sizeof(T) == 1) {
    const auto [low, high] = std::minmax_element(v, v + n);
    r[0] = *low;   // NOLINT(bugprone-signed-char-misuse): narrow numbers, not characters
    r[1] = *high;  // NOLINT(bugprone-signed-char-misuse)
  } else {
    t.index_range[sizeof(T) == 4 ? 0 : 1](v, n, r);
  }
}

// The same of n > 0, of which range(begin, m, r) finds those of m from `begin` on, by all threads.
template <typename Range>
void key_range_of_all(const PrimContext& context, std::int64_t n, std::int64_t chunk, const Range& range,
                      std::int64_t* r) {
  const std::int64_t parts = (n + chunk - 1) / chunk;
  std::vector<std::array<std::int64_t, 2>> ranges(static_cast<std::size_t>(parts));
  for_chunks(context, parts, [&](std::int64_t c) {
    const std::int64_t begin = c * chunk;
    range(begin, std::min(chunk, n - begin), ranges[static_cast<std::size_t>(c)].data());
  });
  r[0] = ranges[0][0];
  r[1] = ranges[0][1];
  for (const auto& part : ranges) {
    r[0] = std::min(r[0], part[0]);
    r[1] = std::max(r[1], part[1]);
  }
}

}  // namespace nvm::vm
