// A carrier for ranks that are threads of one process, for `--ranks N` and for tests. What a rank gives is
// copied once, from its buffer to those of the others.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "vm/ranks/ranks.h"

namespace nvm::ranks {

// One for each of `n` threads.
[[nodiscard]] std::vector<std::unique_ptr<Ranks>> thread_ranks(int n);

// Starts `n` threads, each of which calls `f` with its carrier and then ends it, and waits for them. Throws
// what one of them threw: the cause rather than the Broken that the others get of it.
void on_threads(int n, const std::function<void(Ranks&)>& f);

}  // namespace nvm::ranks
