// Elements by their places in the whole vector: asked for, and sent.
#pragma once

#include <cstdint>
#include <vector>

#include "vm/spmd/parts.h"

namespace nvm::vm::spmd {

inline constexpr std::int64_t kNowhere = -1;
using Places = std::vector<std::int64_t>;

// The elements at these places, zero for none. What is not too large all ranks get whole, and keep; else
// each is asked for its elements: three rounds.
[[nodiscard]] Vector fetch(Parts& parts, const Value& from, const Places& places);

// What this rank's part of a vector cut so becomes, at first `base`, when all ranks have written their values
// to these places, one rank after the other. Two rounds.
[[nodiscard]] Vector deliver(Parts& parts, const Vector& values, const Places& places, const Cut& to,
                             const Vector& base);

// Elements that stay beside each other: `length` of them from `from` on go to `to` and behind. All ranks know
// all runs.
struct Run {
  std::int64_t from, to, length;
};
using Runs = std::vector<Run>;

// What this rank's part of a vector cut so becomes, at first `base`, when runs of this one have been written
// there, in their order. One round.
[[nodiscard]] Vector deliver(Parts& parts, const Distributed& values, const Runs& runs, const Cut& to,
                             const Vector& base);

}  // namespace nvm::vm::spmd
