// Results written where they will be wanted. Where a vector is put together by moves of whole runs, and it is
// known where its segments belong, everything that it is put together of goes there at once; for elements
// that are still to come (a pending slice) it is said where they will belong.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vm/prims/views.h"

namespace nvm::vm {

// Where segments belong: a list of places, or, without one, evenly from the first on.
struct Places {
  const std::int64_t* list = nullptr;
  std::int64_t first = 0, step = 0;

  [[nodiscard]] static Places evenly(std::int64_t first, std::int64_t step) { return {nullptr, first, step}; }
  [[nodiscard]] std::int64_t operator[](std::int64_t k) const {
    return list != nullptr ? list[k] : first + k * step;
  }
  [[nodiscard]] Places from(std::int64_t k) const {
    return list != nullptr ? Places{list + k} : evenly((*this)[k], step);
  }
};

// Where the results of a call are wanted: the segment that instance k has in every vector begins at element
// places[k] of its target.
struct Destination {
  struct Target {
    std::byte* data;
    Storage storage;
  };
  std::span<const Target> targets;  // one for each vector among the results
  Places places;

  // The same from instance `first` on.
  [[nodiscard]] Destination from(std::int64_t first) const { return {targets, places.from(first)}; }
};

// Elements that are still to come, in segments `s`, and where these belong once it is known: all of them when
// `known` is s.total(). The place of an empty segment says nothing.
struct PendingSlice {
  Segdes s;
  bool found = false;  // where some of them belong
  Places places;
  BufferRef memory;  // of the list of `places`, if they have one
  std::int64_t known = 0;
};

// What stands for a call's result of so many elements until it is there.
[[nodiscard]] Value pending_value(std::int64_t length);
// Leaves a BPERMUTE of such, or a DPERMUTE of vectors and such, to be told where it belongs: slices of what
// is pending, or an assembly (vm/prims/assembly.h). False if they are not by runs of places; nothing has
// happened then.
[[nodiscard]] bool leave_move(const PrimCall& call);

// Puts `value`, a vector in segments `s`, or what leave_move() made, to its
// `places`, one for each segment. False if they can not be worked out, or the moves do not fill the vector
// without gaps and overlaps; then anything may have been written. Throws Fault (memory).
[[nodiscard]] bool fill(const PrimContext& context, const Value& value, const Segdes& s, const Places& places,
                        const Destination::Target& target, PendingSlice& slice);

// Where segments begin. `memory` keeps the list, if there is one.
[[nodiscard]] Places begins_of(const PrimContext& context, const Segdes& s, BufferRef& memory);

}  // namespace nvm::vm
