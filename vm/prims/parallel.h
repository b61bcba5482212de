// Work on several threads. A primitive's elements are cut into chunks; each thread begins with a share of its
// own, so that the next primitive finds its elements in its cache. Nothing of this is paid for below the
// context's grain.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "vm/data/shares.h"
#include "vm/prims/kernels/kernels.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// Bytes of this machine's second-level cache; what most have if it does not say.
[[nodiscard]] std::int64_t second_level_cache();

// Runs work(user, worker, open) on at most `threads` threads, one for each chunk of `open` at most. A thread
// keeps its number as worker from call to call if it can. The work does not throw.
void run_workers(int threads, std::int64_t count, Shares& open,
                 void (*work)(void* user, int worker, Shares& open), void* user);

// f(worker, open), which takes chunks 0..count-1 from `open` until there are none.
template <typename F>
void for_workers(int threads, std::int64_t count, Shares& open, F f) {
  if (threads <= 1 || count <= 1) return f(0, open);
  run_workers(
      threads, count, open,
      [](void* user, int worker, Shares& chunks) { (*static_cast<F*>(user))(worker, chunks); }, &f);
}

// Chunks 0..count-1 for f. Who asks to stop (null: nobody can) is heard between them: no more are taken,
// those that were are finished. Throws Fault, if so.
template <typename F>
void for_chunks_of(const std::atomic<Stop>* stop, int threads, std::int64_t count, int shares, F f) {
  if (threads <= 1 || count <= 1) {
    for (std::int64_t i = 0; i < count && !asked(stop); ++i) f(i);
  } else {
    Shares open(shares, count);
    for_workers(threads, count, open, [&](int worker, Shares& chunks) {
      while (!asked(stop)) {
        const std::int64_t i = chunks.next(worker);
        if (i < 0) return;
        f(i);
      }
    });
  }
  check_stop(stop);
}

// f(i) for chunks 0..count-1 on all of the context's threads. f does not throw.
template <typename F>
void for_chunks(const PrimContext& context, std::int64_t count, F f) {
  for_chunks_of(context.stop, context.threads, count, context.threads, std::move(f));
}
// The same where f may wait for a chunk with a smaller number, or the first take longest: chunks are begun in
// ascending order.
template <typename F>
void for_chunks_in_order(const PrimContext& context, std::int64_t count, F f) {
  for_chunks_of(context.stop, context.threads, count, 1, std::move(f));
}

// Number of chunks of about `size` elements for `n`; 1 if one thread should do it all.
[[nodiscard]] std::int64_t chunk_count(const PrimContext& context, std::int64_t n, std::int64_t size);

// Are there threads to share `n` elements, and elements enough? What one thread alone can do is not worth it
// then.
[[nodiscard]] inline bool worth_all(const PrimContext& context, std::int64_t n) {
  return context.threads > 1 && n >= 2 * context.grain;
}

// Shall each of `parts` threads write a range of a result of so many bytes, and look at all indices for it?
// Of a result that stays in one core's cache two or three write less than they look at.
[[nodiscard]] inline bool worth_ranges(const PrimContext& context, std::int64_t parts, std::size_t bytes) {
  const std::int64_t cached = std::min(2 * second_level_cache(), 64 * context.grain);
  return parts >= 4 || static_cast<std::int64_t>(bytes) > cached;
}

// f(begin, end) over [0, n) in chunks whose bounds are multiples of 64.
template <typename F>
void for_ranges(const PrimContext& context, std::int64_t n, F f) {
  constexpr std::int64_t kSize = 1 << 16;
  constexpr std::int64_t kAlone = 1 << 22;  // one thread looks up that often
  const std::int64_t chunks = context.threads <= 1 ? n / kAlone + 1 : chunk_count(context, n, kSize);
  if (chunks == 1) {
    f(std::int64_t{0}, n);
    return;
  }
  const std::int64_t step = (n / chunks + 64) / 64 * 64;
  for_chunks(context, (n + step - 1) / step, [&](std::int64_t c) {
    const std::int64_t end = (c + 1) * step;
    f(c * step, end < n ? end : n);
  });
}

// Keeps the smallest position that several chunks report; -1 stands for none.
inline void note_first(std::atomic<std::int64_t>& first, std::int64_t position) {
  std::int64_t seen = first.load();
  while ((seen < 0 || position < seen) && !first.compare_exchange_weak(seen, position)) {
  }
}

// Where a chunk of segmented work begins: at element `element` of segment `segment`, which is either its
// start or a multiple of kReduceBlock behind it.
struct Cut {
  std::int64_t segment;
  std::int64_t element;
};
// chunks+1 ascending cuts of `count` segments of `total` elements, about equal in elements plus segments, so
// that very many empty segments are shared out too.
[[nodiscard]] std::vector<Cut> cut_segments(kernels::Segments s, std::int64_t count, std::int64_t total,
                                            std::int64_t chunks);

// One chunk between two cuts: the end of a segment begun before (head), whole segments, and the start of one
// that goes on behind (tail). A chunk inside one segment is all head; `head_open` says that its segment goes
// on.
struct ChunkParts {
  std::int64_t head_begin, head_end;  // elements
  bool head_open;
  std::int64_t first, last;           // whole segments first..last-1
  std::int64_t tail_begin, tail_end;  // elements; a tail's segment is `last`
};
[[nodiscard]] ChunkParts chunk_parts(kernels::Segments s, Cut from, Cut to);
// whole(first, last), in segments, and part(segment, begin, end), in elements, for all of `count` segments
// with `total` elements, in chunks of `chunk` of both.
template <typename Whole, typename Part>
void for_segments(const PrimContext& context, kernels::Segments s, std::int64_t count, std::int64_t total,
                  std::int64_t chunk, Whole whole, Part part) {
  const std::int64_t chunks = chunk_count(context, total + count, chunk);
  if (chunks == 1) return whole(std::int64_t{0}, count);
  const std::vector<Cut> cuts = cut_segments(s, count, total, chunks);
  for_chunks(context, chunks, [&](std::int64_t c) {
    const auto i = static_cast<std::size_t>(c);
    const ChunkParts p = chunk_parts(s, cuts[i], cuts[i + 1]);
    if (p.head_begin < p.head_end) part(cuts[i].segment, p.head_begin, p.head_end);
    if (p.first < p.last) whole(p.first, p.last);
    if (p.tail_begin < p.tail_end) part(p.last, p.tail_begin, p.tail_end);
  });
}

}  // namespace nvm::vm
