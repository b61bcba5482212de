// Work on several threads. A primitive's elements are cut into chunks; threads take them in order. Nothing of
// this is paid for below the context's grain.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "vm/prims/kernels/kernels.h"
#include "vm/prims/prims.h"

namespace nvm::vm {

// Bytes of this machine's second-level cache; what most have if it does not say.
[[nodiscard]] std::int64_t second_level_cache();

// Runs task(user, i) for i = 0..count-1 on at most `threads` threads. Chunks are started in ascending order,
// so a task may wait for one with a smaller number. The task does not throw.
void run_chunks(int threads, std::int64_t count, void (*task)(void* user, std::int64_t i), void* user);

template <typename F>
void for_chunks(int threads, std::int64_t count, F f) {
  if (threads <= 1 || count <= 1) {
    for (std::int64_t i = 0; i < count; ++i) f(i);
    return;
  }
  run_chunks(
      threads, count, [](void* user, std::int64_t i) { (*static_cast<F*>(user))(i); }, &f);
}

// Number of chunks of about `size` elements for `n`; 1 if one thread should do it all.
[[nodiscard]] std::int64_t chunk_count(const PrimContext& context, std::int64_t n, std::int64_t size);

// f(begin, end) over [0, n) in chunks whose bounds are multiples of 64.
template <typename F>
void for_ranges(const PrimContext& context, std::int64_t n, F f) {
  constexpr std::int64_t kSize = 1 << 16;
  const std::int64_t chunks = context.threads <= 1 ? 1 : chunk_count(context, n, kSize);
  if (chunks == 1) {
    f(std::int64_t{0}, n);
    return;
  }
  const std::int64_t step = (n / chunks + 64) / 64 * 64;
  for_chunks(context.threads, (n + step - 1) / step, [&](std::int64_t c) {
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

}  // namespace nvm::vm
