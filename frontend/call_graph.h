// Who calls whom.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/core.h"

namespace nvm::frontend {

struct CallGraph {
  explicit CallGraph(const core::Program& program);
  explicit CallGraph(std::vector<std::vector<std::int32_t>> calls);

  std::vector<std::vector<std::int32_t>> callees;  // by function, each once
  std::vector<std::int32_t> order;  // callees before callers, but for those that call each other
  std::vector<bool> recursive;      // calls itself, if only through others
};

}  // namespace nvm::frontend
