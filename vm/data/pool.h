// The arena behind buffers: size classes for small blocks, best fit and huge pages for large ones. Free pages
// are kept for reuse: up to a seventh more than was live at the peak as they lie; above, they are moved to
// where a large block is wanted, or, at almost half as much again, given back. Small blocks come from a cache
// of the calling thread, without a lock. Thread-safe; every buffer must be released before its pool goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bytecode/base/extent.h"
#include "vm/data/buffer.h"
#include "vm/data/value.h"

namespace nvm::vm {

// Exact for the calling thread; what other threads did with small blocks may be up to 1 MB late.
struct PoolStats {
  std::size_t live = 0;         // bytes in buffers that are referenced
  std::size_t peak = 0;         // largest `live`
  std::size_t mapped = 0;       // bytes taken from the system: pages that were in use once and are kept
  std::size_t mapped_peak = 0;  // largest `mapped`
  std::uint64_t allocations = 0;
  std::uint64_t reuses = 0;  // allocations served without the system
};

class Pool {
 public:
  // `limit`: bytes of live vectors above which allocate() throws Fault kMemory; 0 for none. Memory kept for
  // reuse does not push the mapped total above it.
  explicit Pool(std::size_t limit = 0);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Memory for elements, uninitialised. Throws Fault{kMemory}, never returns null.
  [[nodiscard]] BufferRef allocate(ByteCount bytes);
  // Takes back what lies behind the first `bytes` of a buffer of this pool that nobody has written there.
  void shrink(const BufferRef& buffer, ByteCount bytes);
  // A vector of `length` != 1 uninitialised elements; an empty one takes no memory.
  [[nodiscard]] Vector vector(Storage storage, std::int64_t length);
  [[nodiscard]] PoolStats stats() const;
  // Buffers that the calling thread has ever allocated, in all pools.
  [[nodiscard]] static std::uint64_t allocations_here();
  void trim();  // gives unused memory back to the system

  struct Impl;  // pool.cpp

  // For tests: the k-th allocation from now fails as if memory had run out; 0 switches it off.
  void fail_at(std::uint64_t k);

 private:
  friend void release_buffer(Buffer* b);
  std::unique_ptr<Impl> impl_;
};

}  // namespace nvm::vm
