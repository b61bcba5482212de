// Part of routines_impl.h: per-segment values spread over the elements of a block.
#pragma once

#include <cstring>

#include "vm/cpu/routines_walk.h"

namespace nvm::vm::cpu {

namespace {

// Sixteen elements at once, whatever registers they take.
template <typename T>
struct Sixteen {
  using Vector [[gnu::vector_size(16 * sizeof(T))]] = T;
  static constexpr std::int64_t kCount = 16;
  static void store(T* to, Vector v) { std::memcpy(to, &v, sizeof v); }
  static Vector up_from(T first) {
    return Vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} + first;
  }
};

// Every segment by itself, in steps of sixteen: a short one takes no branch that depends on its length, and
// what is written behind a segment is overwritten by the next. at(s, w) is what the sixteen elements from
// the w-th of segment s on get, and the next sixteen `step` more.
template <typename T, typename At, typename Start>
void expand_each(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, T* dest, At at, T step,
                 Start start) {
  constexpr std::int64_t kCount = Sixteen<T>::kCount;
  const auto put = [&](std::int64_t first, std::int64_t end, typename Sixteen<T>::Vector v) {
    Sixteen<T>::store(dest + first, v);
    for (std::int64_t i = first + kCount; i < end; i += kCount) {
      v += step;
      Sixteen<T>::store(dest + i, v);
    }
  };
  const std::int64_t segments = cursor.desc->segments;
  std::int64_t s = cursor.segment;
  if (!cursor.fresh) {
    const std::int64_t stop = start(s + 1) - begin;
    put(0, std::min(stop, n), at(s, begin - start(s)));
    if (stop > n) return;
    ++s;
  }
  cursor.fresh = true;
  std::int64_t first = s < segments ? start(s) - begin : n;
  while (first < n) {
    const std::int64_t stop = start(s + 1) - begin;
    put(first, std::min(stop, n), at(s, 0));
    first = stop;
    if (stop > n) break;
    if (++s == segments) break;
  }
  cursor.segment = s;
  cursor.fresh = s == segments || first <= n;
}
template <typename T, typename At>
void expand_each(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, T* dest, At at, T step) {
  const std::int64_t* offsets = cursor.desc->offsets;
  const std::int64_t length = cursor.desc->regular_length;
  if (offsets != nullptr)
    return expand_each(cursor, begin, n, dest, at, step, [=](std::int64_t s) { return offsets[s]; });
  expand_each(cursor, begin, n, dest, at, step, [=](std::int64_t s) { return s * length; });
}

// Equal short segments: segment number and index within are kept for a group of lanes and advanced without a
// branch. value(s, w) may be asked for elements behind the block, with s a segment of the descriptor.
constexpr std::int64_t kShortSegment = 3;
template <typename T, typename Value>
void expand_shift(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, T* dest, Value value) {
  const std::int64_t length = cursor.desc->regular_length;
  const std::int64_t last = cursor.desc->segments - 1;
  const int shift = __builtin_ctzll(static_cast<unsigned long long>(length));
  for (std::int64_t i = 0; i < n; ++i)
    dest[i] = value(std::min((begin + i) >> shift, last), (begin + i) & (length - 1));
  cursor = seek(*cursor.desc, begin + n);
}
template <typename T, typename Value>
void expand_short(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, T* dest, Value value) {
  constexpr int kLanes = 16;
  const std::int64_t length = cursor.desc->regular_length;
  const std::int64_t last = cursor.desc->segments - 1;
  if ((length & (length - 1)) == 0) return expand_shift(cursor, begin, n, dest, value);
  std::int64_t segment[kLanes];
  std::int64_t within[kLanes];
  for (int k = 0; k < kLanes; ++k) {
    segment[k] = (begin + k) / length;
    within[k] = (begin + k) % length;
  }
  const std::int64_t whole = kLanes / length;
  const std::int64_t rest = kLanes % length;
  for (std::int64_t i = 0; i < n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) dest[i + k] = value(std::min(segment[k], last), within[k]);
    for (int k = 0; k < kLanes; ++k) {
      const std::int64_t w = within[k] + rest;
      const bool over = w >= length;
      within[k] = over ? w - length : w;
      segment[k] += whole + (over ? 1 : 0);
    }
  }
  cursor = seek(*cursor.desc, begin + n);
}

template <typename T, typename Value>
void expand_by(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, T* dest, Value value) {
  const plan::Desc& d = *cursor.desc;
  if (d.offsets == nullptr && d.regular_length > 0 && d.regular_length <= kShortSegment)
    return expand_short(cursor, begin, n, dest, [&](std::int64_t s, std::int64_t) { return value(s); });
  expand_each(
      cursor, begin, n, dest,
      [&](std::int64_t s, std::int64_t) { return typename Sixteen<T>::Vector{} + static_cast<T>(value(s)); },
      T{0});
}

template <typename T>
void expand_within(SegmentCursor& cursor, std::int64_t begin, std::int64_t n, T* dest) {
  const plan::Desc& d = *cursor.desc;
  if (d.offsets == nullptr && d.regular_length > 0 && d.regular_length <= kShortSegment)
    return expand_short(cursor, begin, n, dest,
                        [](std::int64_t, std::int64_t w) { return static_cast<T>(w); });
  expand_each(
      cursor, begin, n, dest,
      [](std::int64_t, std::int64_t w) { return Sixteen<T>::up_from(static_cast<T>(w)); },
      static_cast<T>(Sixteen<T>::kCount));
}

template <typename T>
void expand_as(SegmentCursor& cursor, Expand what, const T* table, const plan::Desc* other,
               std::int64_t begin, std::int64_t n, T* dest) {
  switch (what) {
    case Expand::kTable: return expand_by(cursor, begin, n, dest, [=](std::int64_t s) { return table[s]; });
    case Expand::kSegment:
      return expand_by(cursor, begin, n, dest, [](std::int64_t s) { return static_cast<T>(s); });
    case Expand::kOffset:
      return expand_by(cursor, begin, n, dest,
                       [=](std::int64_t s) { return static_cast<T>(segment_offset(*other, s)); });
    case Expand::kLength:
      return expand_by(cursor, begin, n, dest, [=](std::int64_t s) {
        return static_cast<T>(segment_offset(*other, s + 1) - segment_offset(*other, s));
      });
    case Expand::kWithin: return expand_within(cursor, begin, n, dest);
  }
}

void expand(SegmentCursor& cursor, Expand what, const void* table, const plan::Desc* other, int bytes,
            std::int64_t begin, std::int64_t n, void* dest) {
  if (bytes == 8)
    return expand_as(cursor, what, static_cast<const std::uint64_t*>(table), other, begin, n,
                     static_cast<std::uint64_t*>(dest));
  if (bytes == 4)
    return expand_as(cursor, what, static_cast<const std::uint32_t*>(table), other, begin, n,
                     static_cast<std::uint32_t*>(dest));
  return expand_as(cursor, what, static_cast<const std::uint8_t*>(table), other, begin, n,
                   static_cast<std::uint8_t*>(dest));
}

}  // namespace

}  // namespace nvm::vm::cpu
