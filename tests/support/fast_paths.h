// Tests of fast ways to execute (vm/data/fast_paths.def) say which they are about, and fail if one is never
// taken.
#pragma once

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>

#include "vm/data/fast_paths.h"

namespace nvm::testing {

using vm::FastPath;
using FastPaths = std::initializer_list<FastPath>;

// The names of those that were taken.
inline std::string taken(const vm::FastPathCounts& counts) {
  std::string names;
  for (std::size_t i = 0; i < vm::kFastPaths; ++i)
    if (counts[static_cast<FastPath>(i)] > 0) names += ", " + std::string(vm::kFastPathNames[i]);
  return names.empty() ? "none" : names.substr(2);
}

inline void check_taken(const vm::FastPathCounts& counts, FastPaths paths) {
  for (const FastPath path : paths) {
    INFO("taken: " << taken(counts) << "; not: " << vm::kFastPathNames[static_cast<std::size_t>(path)]);
    CHECK(counts[path] > 0);
  }
}

}  // namespace nvm::testing
