// Part of routines_impl.h: how routines go through the segments of a block.
#pragma once

#include <algorithm>

#include "vm/cpu/routines.h"

namespace nvm::vm::cpu {

namespace {

// The segments that elements [begin, begin + n) touch, in order, with those that are empty: calls
// part(segment, first, count, starts, length) for the part of each, first counted from begin. Empty segments
// that start at begin + n wait for the next block unless the space ends there. Leaves the cursor at begin +
// n, or, with true, behind `most` segments.
template <typename Part>
bool walk(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, Part part,
          std::int64_t most = INT64_MAX) {
  const plan::Desc& d = *cursor.desc;
  std::int64_t s = cursor.segment;
  bool fresh = cursor.fresh;
  std::int64_t at = fresh && s < d.segments ? segment_offset(d, s) - begin : 0;
  bool more = false;
  while (s < d.segments) {
    const std::int64_t start = segment_offset(d, s);
    const std::int64_t stop = segment_offset(d, s + 1);
    if (fresh && start >= begin + n && begin + n < d.total) break;
    more = most-- == 0;
    if (more) break;
    const std::int64_t end = std::min(stop - begin, n);
    part(s, at, end - at, fresh, stop - start);
    at = end;
    fresh = stop - begin <= n;
    if (!fresh) break;
    ++s;
  }
  cursor.segment = s;
  cursor.fresh = fresh;
  return more;
}

// The short segments that start here and lie in the block, up to one that does not: part(segment, first,
// stop).
template <typename Part>
void over_short(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, Part part) {
  if (!cursor.fresh) return;
  const plan::Desc& d = *cursor.desc;
  for (std::int64_t& s = cursor.segment; s < d.segments; ++s) {
    const std::int64_t first = segment_offset(d, s) - begin;
    const std::int64_t stop = segment_offset(d, s + 1) - begin;
    if (first >= n || stop > n || stop - first > kSequentialMax) return;
    part(s, first, stop);
  }
}

}  // namespace

}  // namespace nvm::vm::cpu
