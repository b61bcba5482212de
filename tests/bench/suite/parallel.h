// Threads for the hand-written loops: oneTBB, in arenas that are made once.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstdint>

namespace nvm::bench {

// The arena with so many threads, the calling one among them.
[[nodiscard]] tbb::task_arena& arena(int threads);

// f() where the parallel algorithms of the standard library find so many threads.
template <typename F>
void in_arena(int threads, F f) {
  arena(threads).execute(f);
}

// f(t) for t in [0, threads), each on a thread of its own if there are as many.
template <typename F>
void each_thread(int threads, F f) {
  if (threads <= 1) return f(0);
  arena(threads).execute([&] { tbb::parallel_for(0, threads, 1, f, tbb::static_partitioner{}); });
}

// f(begin, end, t) for `threads` nearly equal parts of [0, n); parts begin at multiples of `grain`.
template <typename F>
void parts(int threads, std::int64_t n, F f, std::int64_t grain = 64) {
  each_thread(threads, [&](int t) {
    const auto bound = [&](std::int64_t k) { return k == threads ? n : n * k / threads / grain * grain; };
    f(bound(t), bound(t + 1), t);
  });
}

// f(begin, end) for blocks of [0, n), handed out as threads become free.
template <typename F>
void blocks(int threads, std::int64_t n, std::int64_t block, F f) {
  const std::int64_t count = (n + block - 1) / block;
  const auto one = [&](std::int64_t b) { f(b * block, std::min(n, (b + 1) * block)); };
  if (threads <= 1) {
    for (std::int64_t b = 0; b < count; ++b) one(b);
    return;
  }
  arena(threads).execute(
      [&] { tbb::parallel_for(std::int64_t{0}, count, std::int64_t{1}, one, tbb::simple_partitioner{}); });
}

}  // namespace nvm::bench
