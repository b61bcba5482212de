// Results written where they will be wanted. Where a vector is put together by moves of whole runs, and it is
// known where its segments belong, everything that it is put together of goes there at once; for elements
// that are still to come (a hole) it is said where they will belong.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vm/prims/formula.h"

namespace nvm::vm {

// Where the results of a call are wanted: the segment that instance k has in every vector begins at element
// places[k] of its target.
struct Landing {
  struct Target {
    std::byte* data;
    Storage storage;
  };
  std::span<const Target> targets;  // one for each vector among the results
  const std::int64_t* places;

  // The same from instance `first` on.
  [[nodiscard]] Landing from(std::int64_t first) const { return {targets, places + first}; }
};

// Elements that are still to come, in segments `s`, and where these belong once it is known: all of them when
// `known` is s.total(). The place of an empty segment says nothing.
struct Hole {
  Segdes s;
  BufferRef memory;
  std::int64_t known = 0;

  [[nodiscard]] std::int64_t* places() const { return reinterpret_cast<std::int64_t*>(memory.data()); }
};

// What stands for a hole of so many elements among values, and for a move of one.
[[nodiscard]] Value hole_value(std::int64_t length);
[[nodiscard]] Value moved_value(std::span<Value> operands);

// Puts `value`, a vector in segments `s`, or what moved_value() made of vectors and the hole, to its
// `places`, one for each segment. False if they can not be worked out, or the moves do not fill the vector
// without gaps and overlaps; then anything may have been written. Throws Fault (memory).
[[nodiscard]] bool land(const PrimContext& context, const Value& value, const Segdes& s,
                        const std::int64_t* places, const Landing::Target& target, Hole& hole);

// Where segments begin. Elements of the array: segments, one at least.
[[nodiscard]] BufferRef begins_of(const PrimContext& context, const Segdes& s);

}  // namespace nvm::vm
