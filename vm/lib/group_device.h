// Block mode's groups on a GPU.
#pragma once

#include <memory>

#include "gpu/block_engine.h"
#include "vm/block/group_engine.h"

namespace nvm::lib {

// Null if there is no GPU to be had. `module` must outlive it. `background`: functions are compiled
// meanwhile.
[[nodiscard]] std::unique_ptr<vm::block::GroupEngine> make_group_device(const ssa::Module& module,
                                                                        bool background,
                                                                        const gpu::BlockLimits& limits = {});

}  // namespace nvm::lib
