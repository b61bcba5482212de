// Work segment by segment: short ones shared out between the threads, long ones by all threads together.
#pragma once

#include <vector>

#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

// short_ones(segments, first, last) leaves segments of more than `longest` elements alone; long_one(start, n)
// is then called for each of these, one after the other.
template <typename Short, typename Long>
void by_length(const PrimContext& context, const Segdes& s, std::int64_t longest, const Short& short_ones,
               const Long& long_one) {
  const kernels::Segments segments = kernel_segments(s);
  const std::int64_t chunks = chunk_count(context, s.total() + s.segments(), 1 << 14);
  if (chunks == 1) {
    short_ones(segments, 0, s.segments());
  } else {
    const std::vector<Cut> cuts = cut_segments(segments, s.segments(), s.total(), chunks);
    for_chunks(context.threads, chunks, [&](std::int64_t c) {
      const auto at = static_cast<std::size_t>(c);
      short_ones(segments, cuts[at].segment, cuts[at + 1].segment);
    });
  }
  if (s.total() <= longest) return;
  for (std::int64_t k = 0; k < s.segments(); ++k) {
    const std::int64_t start = segments.start(k);
    const std::int64_t n = segments.start(k + 1) - start;
    if (n > longest) long_one(start, n);
  }
}

}  // namespace nvm::vm
