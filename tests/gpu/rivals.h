// What an expert would run in our place, for the benchmarks: hand-written fused kernels, CUB's algorithms, a
// hand-written bitonic sort. Compiled by nvcc where there is one; on data of their own that stand on the
// device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nvm::rivals {

// Seconds of the best of `rounds` runs by CUDA events, data resident; negative if there is no such rival or
// it fails.
//   n FLOATs: copy axpy dot "line fit" norm2 "black scholes" scan filter, and "segmented sum" by offsets
//   n INTs:   sort and rank of 20, 32 or 64 bits, as "sort 20 bits", and bitonic, where n is a power of
//             two, which is checked
[[nodiscard]] double seconds(const std::string& name, std::int64_t n,
                             const std::vector<std::int64_t>& offsets, int rounds);

}  // namespace nvm::rivals
