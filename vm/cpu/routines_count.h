// Part of routines_impl.h: how many flags are set, by segment.
#pragma once

#include <cstring>

#include "vm/cpu/routines_walk.h"
#include "vm/simd/compress.h"

namespace nvm::vm::cpu {

namespace {

// Flags are bytes 0 or 1; eight bytes may be read where there is one.
inline std::int64_t flags_set(const std::uint8_t* flags, std::int64_t n) {
  constexpr std::int64_t kFew = 64;
  if (n > kFew) return simd::count_flags(flags, n);
  std::int64_t set = 0;
  std::uint64_t eight = 0;
  for (; n > 0; n -= 8, flags += 8) {
    std::memcpy(&eight, flags, sizeof eight);
    if (n < 8) eight <<= 64 - 8 * n;
    set += __builtin_popcountll(eight);
  }
  return set;
}

template <typename Offset>
void count_segments(SegmentCursor& cursor, const std::uint8_t* flags, std::int64_t begin, std::int64_t n,
                    std::int64_t open, std::int64_t* counts, std::int64_t& open_count, Offset offset) {
  const plan::Desc& d = *cursor.desc;
  std::int64_t s = cursor.segment;
  std::int64_t first = 0;
  if (!cursor.fresh) {
    const std::int64_t stop = offset(s + 1) - begin;
    (s == open ? open_count : counts[s]) += flags_set(flags, std::min(stop, n));
    if (stop > n) return;
    first = stop;
    ++s;
  }
  const bool last = begin + n == d.total;  // empty segments at the end, too
  for (; s < d.segments && (first < n || last); ++s) {
    const std::int64_t stop = offset(s + 1) - begin;
    counts[s] = flags_set(flags + first, std::min(stop, n) - first);
    if (stop > n) break;
    first = stop;
  }
  cursor.segment = s;
  cursor.fresh = s == d.segments || offset(s) - begin >= n;
}

void count_by_segment(SegmentCursor& cursor, const std::uint8_t* flags, std::int64_t begin, std::int64_t n,
                      std::int64_t open, std::int64_t* counts, std::int64_t& open_count) {
  const std::int64_t* offsets = cursor.desc->offsets;
  const std::int64_t length = cursor.desc->regular_length;
  if (offsets != nullptr)
    return count_segments(cursor, flags, begin, n, open, counts, open_count,
                          [=](std::int64_t s) { return offsets[s]; });
  count_segments(cursor, flags, begin, n, open, counts, open_count,
                 [=](std::int64_t s) { return s * length; });
}

}  // namespace

}  // namespace nvm::vm::cpu
