#include "vm/prims/parallel.h"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "vm/data/fork_join.h"
#include "vm/simd/reduce_tree.h"

namespace nvm::vm {

namespace {

// One arena per number of threads, made once: starting one costs more than most instructions.
tbb::task_arena& arena(int threads) {
  static std::mutex mutex;
  static auto* const arenas = new std::map<int, std::unique_ptr<tbb::task_arena>>;
  const std::lock_guard lock(mutex);
  auto& a = (*arenas)[threads];
  // More threads than oneTBB has would work no faster, and it would print a warning.
  if (a == nullptr)
    a = std::make_unique<tbb::task_arena>(std::min(threads, tbb::info::default_concurrency()));
  return *a;
}

}  // namespace

std::int64_t second_level_cache() {
  static const long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : std::int64_t{1} << 20;
}

void run_workers(int threads, std::int64_t count, Shares& open,
                 void (*work)(void* user, int worker, Shares& open), void* user) {
  ForkJoin both;
  const int workers = static_cast<int>(std::min<std::int64_t>(threads, count));
  ForkedCalls calls(workers);
  const auto worker = [&](int) {
    calls.call([&] { both.work([&] { work(user, tbb::this_task_arena::current_thread_index(), open); }); });
  };
  both.fork();
  calls.run(
      [&] {
        arena(threads).execute([&] { tbb::parallel_for(0, workers, worker, tbb::simple_partitioner()); });
      },
      [&] { work(user, 0, open); });
  both.join();
}

std::int64_t chunk_count(const PrimContext& context, std::int64_t n, std::int64_t size) {
  if (!worth_all(context, n)) return 1;
  const std::int64_t limit = n / context.grain;  // small grains, as tests set them, make small chunks
  return std::min(limit, std::max<std::int64_t>(context.threads, (n + size - 1) / size));
}

std::vector<Cut> cut_segments(kernels::Segments s, std::int64_t count, std::int64_t total,
                              std::int64_t chunks) {
  std::vector<Cut> cuts;
  cuts.reserve(static_cast<std::size_t>(chunks) + 1);
  cuts.push_back({0, 0});
  for (std::int64_t c = 1; c < chunks; ++c) {
    const std::int64_t target = (total + count) / chunks * c;
    std::int64_t low = 0;  // the last segment that begins at or before the target
    std::int64_t high = count;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (s.start(middle) + middle <= target ? low : high) = middle;
    }
    const std::int64_t start = s.start(low);
    const std::int64_t inside = std::min(target - low, s.start(low + 1)) - start;
    Cut cut{low, start + inside / kReduceBlock * kReduceBlock};
    if (cut.element == s.start(low + 1) && cut.element != start) cut.segment = low + 1;
    if (cut.element < cuts.back().element || cut.segment < cuts.back().segment) cut = cuts.back();
    cuts.push_back(cut);
  }
  cuts.push_back({count, total});
  return cuts;
}

ChunkParts chunk_parts(kernels::Segments s, Cut from, Cut to) {
  ChunkParts p{};
  p.first = from.segment;
  p.last = to.segment;
  const std::int64_t from_start = s.start(from.segment);
  if (from.element > from_start) {
    if (to.segment == from.segment) {
      p.head_begin = from.element;
      p.head_end = to.element;
      p.head_open = true;
      return p;
    }
    p.head_begin = from.element;
    p.head_end = s.start(from.segment + 1);
    p.first = from.segment + 1;
  }
  if (to.element > s.start(to.segment)) {
    p.tail_begin = s.start(to.segment);
    p.tail_end = to.element;
  }
  return p;
}

}  // namespace nvm::vm
