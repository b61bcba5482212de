// The quicksort that an expert writes by hand: three-way partitions with vector registers, ranks by
// comparison at the leaves.
#pragma once

#include <cstdint>

namespace nvm::bench {

// Sorts v. `spare` is scratch of the same size.
void vector_quicksort(std::int32_t* v, std::int32_t* spare, std::int64_t n, int threads);

}  // namespace nvm::bench
