// Memory of one group of block mode: a few pieces of a pool, cut by size. What is released is reused for the
// next of its size, so that what a group works on stays in the cache. For one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vm/data/pool.h"

namespace nvm::vm {

class Arena {
 public:
  // Bytes behind every block that may be read, and its alignment.
  static constexpr std::size_t kGrain = 64;

  struct Block {
    std::int32_t references = 1;
    std::uint32_t size_class = 0;
    Block* next = nullptr;  // free ones of its size
    [[nodiscard]] std::byte* data() { return reinterpret_cast<std::byte*>(this) + kGrain; }
  };
  static_assert(sizeof(Block) <= kGrain);

  // At most `limit` bytes of live blocks, in pieces of `piece` bytes where a block fits one.
  Arena(Pool& pool, std::size_t limit, std::size_t piece) : pool_(pool), limit_(limit), piece_(piece) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Would blocks of so many bytes together fit the limit?
  [[nodiscard]] bool allows(std::int64_t bytes) const {
    return bytes >= 0 && static_cast<std::uint64_t>(bytes) <= limit_ - live_;
  }
  // Null if they do not, or the pool has no memory.
  [[nodiscard]] Block* allocate(ByteCount bytes);
  static void retain(Block* block) {
    if (block != nullptr) ++block->references;
  }
  void release(Block* block);

 private:
  static constexpr std::uint32_t kClasses = 256;
  [[nodiscard]] Block* carve(std::size_t bytes);

  Pool& pool_;
  std::size_t limit_;
  std::size_t piece_;
  std::size_t live_ = 0;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;  // of the last piece, without what may be read behind it
  std::vector<BufferRef> pieces_;
  std::array<Block*, kClasses> free_{};
};

}  // namespace nvm::vm
