// Compiled regions in the words of an observer (vm/interp/observer.h): what their kernels compute, from which
// instructions, and how many bytes they move.
#pragma once

#include <span>
#include <vector>

#include "vm/tier/jit.h"

namespace nvm::vm {

// The region as it was compiled, or why it was not. Refers to `entry`.
[[nodiscard]] Compilation describe(const RecordedRegion& region, const RegionEntry& entry);

// "quicksort:7", where the region begins; "" if that is not known.
[[nodiscard]] std::string code_name(const RecordedRegion& region, const ssa::Module* module);

// The instructions of the program that a kernel computes in this run, each once.
[[nodiscard]] std::vector<const ssa::Inst*> insts_of(const RecordedRegion& region,
                                                     const plan::Kernel& kernel);

// What a kernel reads and writes, each vector once; gathered vectors count by what is taken from them.
[[nodiscard]] std::int64_t bytes_moved(const plan::Plan& plan, const plan::Kernel& kernel,
                                       std::span<const std::int64_t> lengths);

}  // namespace nvm::vm
