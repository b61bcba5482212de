// Work segment by segment: short ones shared out between the threads, long ones by all threads together.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

// short_one(start, n, room) for each segment of at most `longest` elements, with words that a thread keeps
// from call to call; long_one(start, n) then for each other, one after the other. short_one says which of
// `paths` it took.
template <typename Short, typename Long>
void by_length(const PrimContext& context, const Segdes& s, std::int64_t longest, const Short& short_one,
               const Long& long_one, std::span<const FastPath> paths) {
  std::atomic<std::uint32_t> taken{0};
  const kernels::Segments segments = kernel_segments(s);
  const auto short_ones = [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint64_t> room;
    std::uint32_t bits = 0;
    std::int64_t start = segments.start(first);
    for (std::int64_t k = first; k < last; ++k) {
      const std::int64_t end = segments.start(k + 1);
      if (end - start <= longest) bits |= 1U << short_one(start, end - start, room);
      start = end;
    }
    taken.fetch_or(bits, std::memory_order_relaxed);
  };
  const std::int64_t chunks = chunk_count(context, s.total() + s.segments(), 1 << 14);
  if (chunks == 1) {
    short_ones(0, s.segments());
  } else {
    const std::vector<Cut> cuts = cut_segments(segments, s.segments(), s.total(), chunks);
    for_chunks(context, chunks, [&](std::int64_t c) {
      const auto at = static_cast<std::size_t>(c);
      short_ones(cuts[at].segment, cuts[at + 1].segment);
    });
  }
  for (std::size_t i = 0; i < paths.size(); ++i)
    if ((taken >> i & 1) != 0) took(context, paths[i]);
  if (s.total() <= longest) return;
  for (std::int64_t k = 0; k < s.segments(); ++k) {
    const std::int64_t start = segments.start(k);
    const std::int64_t n = segments.start(k + 1) - start;
    if (n > longest) long_one(start, n);
  }
}

}  // namespace nvm::vm
