// Blocks for tests of memory safety, one mapping each: behind the padding of the elements, and in front of
// the header, lies a page that nobody may touch, and what was written into the padding is found when the
// block is freed. With NVM_GUARD_PAGES in the environment, pools hand out no others.
#pragma once

#include <cstddef>

#include "vm/data/buffer.h"

namespace nvm::vm {

[[nodiscard]] bool wants_guard_pages();

// A header whose `bytes` and `capacity` are set, for `bytes` of elements; null if the system has no memory.
[[nodiscard]] Buffer* map_guarded(std::size_t bytes);
// Aborts if somebody has written behind the elements.
void unmap_guarded(Buffer* b);

}  // namespace nvm::vm
