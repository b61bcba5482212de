// Striped loops: lane l goes through the l-th part of a chunk, all lanes side by side, so that a scan is one
// operation for each vector instead of doubling steps across its lanes. What lies before a lane's part is
// known from the lanes' totals, which the sweep before has found in the same order. For kernels whose scans
// are only reduced: nothing is stored element by element, and INT is exact in any order.
#pragma once

#include <array>

#include "bytecode/plan/plan.h"
#include "vm/cpu/codegen/lanes.h"

namespace nvm::vm::cpu {

// True if all scans and sinks are INT and flat, and nothing is stored element by element.
[[nodiscard]] bool may_stripe(const plan::Kernel& kernel, const soac::Body& body);
// One sweep after the other computes the operands anew, which several threads do in any case; one thread
// should have little to compute.
[[nodiscard]] bool computes_little(const soac::Body& body);

inline constexpr int kMostStripes = 8;  // lanes
inline constexpr int kStripeTurn = 4;   // iterations that are loaded at once

// Elements of a lane's part where `length` are to be done: whole turns, and not the same number in each way
// of a first-level cache, which the parts share.
[[nodiscard]] std::int64_t stripe_length(std::int64_t length, std::int64_t lanes);

// The elements of kStripeTurn iterations; at[l] is where those of lane l stand.
[[nodiscard]] std::array<Lane, kStripeTurn> load_stripes(Lanes& lanes, Storage storage,
                                                         const std::array<x86::Mem, kMostStripes>& at);

}  // namespace nvm::vm::cpu
