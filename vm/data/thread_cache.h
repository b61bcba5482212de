// What a thread keeps of a pool's free blocks, to use them without a lock (pool.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "vm/data/buffer.h"
#include "vm/data/size_classes.h"

namespace nvm::vm {

inline constexpr std::size_t kKeptBlocks = 24;  // large ones

inline void set_next(Buffer* b, Buffer* next) { b->user = next; }
inline Buffer* next_of(Buffer* b) { return static_cast<Buffer*>(b->user); }

struct FreeList {
  Buffer* head = nullptr;
  std::uint32_t count = 0;
  void push(Buffer* b) {
    set_next(b, head);
    head = b;
    ++count;
  }
  Buffer* pop() {
    Buffer* b = head;
    head = next_of(b);
    --count;
    return b;
  }
};

// Free blocks of one pool and the accounts not yet handed over, per thread.
struct ThreadCache {
  std::uint64_t pool_id = 0;
  std::ptrdiff_t live = 0;   // change since the last hand-over
  std::ptrdiff_t peak = 0;   // its largest value
  std::ptrdiff_t large = 0;  // change of what large blocks in use take
  std::uint64_t allocations = 0;
  std::array<FreeList, kSmallClasses> lists;
  std::array<Buffer*, kKeptBlocks + 1> kept{};  // large blocks, the one freed last behind the others
  std::size_t kept_count = 0;
  std::size_t kept_bytes = 0;

  // The block freed last that has room for `capacity` bytes and not much more; null if none has.
  Buffer* take_kept(std::size_t capacity) {
    for (std::size_t i = kept_count; i-- > 0;) {
      Buffer* b = kept[i];
      if (b->capacity < capacity || b->capacity / 8 * 7 > capacity) continue;
      return take_kept_at(i);
    }
    return nullptr;
  }
  Buffer* take_kept_at(std::size_t i) {
    Buffer* b = kept[i];
    std::copy(kept.begin() + i + 1, kept.begin() + kept_count, kept.begin() + i);
    --kept_count;
    kept_bytes -= b->capacity;
    return b;
  }
  // Room for one more is there as long as keeps_too_much() has been heeded.
  void keep(Buffer* b) {
    kept[kept_count++] = b;
    kept_bytes += b->capacity;
  }
  [[nodiscard]] bool keeps_too_much(std::size_t most) const {
    return kept_count > kKeptBlocks || kept_bytes > most;
  }
};

}  // namespace nvm::vm
