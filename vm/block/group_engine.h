// The seam to a device that runs groups of lifted calls.
#pragma once

#include <optional>
#include <span>

#include "vm/block/worker.h"

namespace nvm::vm::block {

class GroupEngine {
 public:
  struct Watched {
    bool times = false;  // when it ran what
    bool bytes = false;  // that were moved
  };
  virtual ~GroupEngine() = default;
  // Runs `function` on every group of `layout` between two `bounds`, as Workers::run does; nothing if it has
  // no kernel for that, or no memory. Results are made in `pool`.
  virtual std::optional<Groups> run(ssa::FunctionId function, const Layout& layout,
                                    std::span<const std::int64_t> bounds, Pool& pool, Watched watched) = 0;
};

}  // namespace nvm::vm::block
