// Where segments begin, by a descriptor that is bound.
#pragma once

#include <algorithm>

#include "bytecode/plan/engine.h"

namespace nvm::vm {

[[nodiscard]] inline std::int64_t offset_of(const plan::Desc& d, std::int64_t s) {
  return d.offsets != nullptr ? d.offsets[s] : s * d.regular_length;
}

// The first segment that begins at element `at` or behind it.
[[nodiscard]] inline std::int64_t first_from(const plan::Desc& d, std::int64_t at) {
  if (at == 0) return 0;
  if (d.offsets != nullptr) return std::lower_bound(d.offsets, d.offsets + d.segments + 1, at) - d.offsets;
  return d.regular_length == 0 ? d.segments : (at + d.regular_length - 1) / d.regular_length;
}

}  // namespace nvm::vm
