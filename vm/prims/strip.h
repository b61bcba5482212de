// Passes over vectors strip by strip: a strip goes through all steps before the next one is read, so that
// what lies between stays in the first-level cache. It lies in rooms, strips of scratch memory that each
// thread has of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "vm/data/shares.h"
#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

template <std::int64_t kElements>
class Strip {
 public:
  static constexpr std::size_t kBytes =
      kElements * 8 + 5 * 64;  // rooms do not all start in the same cache set

  [[nodiscard]] static std::byte* room(std::byte* rooms, int i) {
    return rooms + static_cast<std::size_t>(i) * kBytes;
  }
  // run(chunk, rooms) for chunks 0..count-1, of some strips each, on all threads, with so many rooms. It does
  // not throw.
  template <typename Run>
  static void each_chunk(const PrimContext& context, std::int64_t count, int rooms, const Run& run) {
    const std::size_t bytes = static_cast<std::size_t>(rooms) * kBytes;
    const auto workers = static_cast<std::size_t>(std::clamp<std::int64_t>(count, 1, context.threads));
    const BufferRef memory = context.pool->allocate(ByteCount(workers * bytes + 64));
    std::atomic<std::size_t> next{0};
    Shares open(context.threads, count);
    for_workers(context.threads, count, open, [&](int worker, Shares& chunks) {
      std::byte* mine = memory.data() + next.fetch_add(1) * bytes;
      while (!asked(context.stop)) {
        const std::int64_t c = chunks.next(worker);
        if (c < 0) return;
        run(c, mine);
      }
    });
    check_stop(context.stop);
  }
};

}  // namespace nvm::vm
