// The least and the largest of the keys that are ranked or sorted.
#pragma once

#include <algorithm>
#include <cstdint>

#include "vm/prims/kernels/kernels.h"

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

}  // namespace nvm::vm
