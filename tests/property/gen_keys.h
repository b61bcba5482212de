// Keys to be ranked or sorted.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/property/gen_segdes.h"
#include "vm/data/compare.h"
#include "vm/prims/prims.h"

namespace nvm::testing {

// Keys as they break a sort: few or many different ones, the whole range, all alike but one, in order
// already.
inline vm::Vector keys(Rng& rng, vm::PrimContext& context, TypeWord word, std::int64_t n) {
  const std::int64_t shape = below(rng, 7);
  const auto wide = [&] { return static_cast<std::int64_t>(rng()); };
  const auto key = [&](std::int64_t i) -> std::int64_t {
    switch (shape) {
      case 0: return below(rng, 3);
      case 1: return below(rng, 100000) - 50000;
      case 2: return wide();
      case 3: return i == n / 2 ? wide() : below(rng, 1 << 20);
      case 4: return i;
      case 5: return below(rng, 40) == 0 ? wide() : 7;
      default: return -(wide() & 0xffffff);
    }
  };
  if (word == TypeWord::kFloat) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const double odd[] = {0.0, -0.0, kNan, -kNan, std::numeric_limits<double>::infinity(), -1e300};
    std::vector<double> v;
    for (std::int64_t i = 0; i < n; ++i)
      v.push_back(shape == 0 || below(rng, 50) == 0 ? odd[below(rng, 6)] : static_cast<double>(key(i)) / 3.0);
    return vm::float_vector(*context.pool, v);
  }
  const std::int64_t storage = below(rng, context.int_bits == IntBits::k32 ? 2 : 3);
  std::vector<std::int64_t> v;
  for (std::int64_t i = 0; i < n; ++i)
    v.push_back(storage == 0   ? static_cast<std::int8_t>(key(i))
                : storage == 1 ? static_cast<std::int32_t>(key(i))
                               : key(i));
  return vm::int_vector(*context.pool, v, static_cast<Storage>(storage));
}

}  // namespace nvm::testing
