// Properties of fast ways to execute.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <string>

#include "tests/support/fast_paths.h"

namespace nvm::testing {

// `property` of random cases by their seeds; then of cases 0, 1, ..., until each of `paths` has been taken.
// It counts in `counts`.
template <typename F>
void check_property(const std::string& name, const vm::FastPathCounts& counts, FastPaths paths, F property) {
  CHECK(rc::check(name, property));
  const auto taken = [&](FastPath path) { return counts[path] > 0; };
  for (std::uint64_t seed = 0; seed < 1000 && !std::all_of(paths.begin(), paths.end(), taken); ++seed)
    property(seed);
  check_taken(counts, paths);
}

}  // namespace nvm::testing
