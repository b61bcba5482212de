// The command counts its heap, so that --memory is about all of it (bytecode/base/budget.h). The library
// leaves operator new to its host.
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "bytecode/base/budget.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

constexpr std::ptrdiff_t kBatch = 64 << 10;
constexpr int kGivenBack = 1 << 20;

// Blocks of this size go back to the system when they are freed. The C library would learn from large ones to
// keep ever larger ones, in each thread's part of the heap: what lies free there is taken, and in no count.
[[maybe_unused]] const bool counts = [] {
  nvm::heap_counted.store(true);
  return ::mallopt(M_MMAP_THRESHOLD, kGivenBack) == 1 && ::mallopt(M_TRIM_THRESHOLD, 2 * kGivenBack) == 1;
}();

// Bytes that are not in nvm::heap_bytes yet.
constinit thread_local std::ptrdiff_t t_bytes = 0;

[[gnu::noinline]] void hand_over() {
  nvm::heap_bytes.fetch_add(t_bytes, std::memory_order_relaxed);
  t_bytes = 0;
}

// What the C library takes for a block, exactly but for what it cannot part: the size is known at both ends
// of most blocks, and asking for it costs as much as the block.
constexpr std::ptrdiff_t bytes_of(std::size_t size) {
  constexpr std::size_t kHeader = 8, kUnit = 16, kLeast = 32;
  return static_cast<std::ptrdiff_t>(std::max((size + kHeader + kUnit - 1) / kUnit * kUnit, kLeast));
}

// Bytes that were counted, unless it turns out that they are there.
struct Refused {
  std::ptrdiff_t bytes;
  ~Refused() { t_bytes -= bytes; }
};

void* take(std::size_t size) {
  t_bytes += bytes_of(size);
  if (t_bytes >= kBatch) [[unlikely]] {
    hand_over();
    Refused refused{bytes_of(size)};
    nvm::Budget::heap_grows(size);
    refused.bytes = 0;
  }
  for (;;) {
    if (void* p = std::malloc(size == 0 ? 1 : size)) [[likely]]
      return p;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) {
      t_bytes -= bytes_of(size);
      throw std::bad_alloc();
    }
    handler();
  }
}

void give(void* p, std::ptrdiff_t bytes) noexcept {
  std::free(p);
  t_bytes -= bytes;
  if (t_bytes <= -kBatch) [[unlikely]]
    hand_over();
}

void give(void* p) noexcept {
  if (p != nullptr) give(p, bytes_of(::malloc_usable_size(p)));
}
void give(void* p, std::size_t size) noexcept {
  if (p != nullptr) give(p, bytes_of(size));
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return take(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t& none) noexcept {
  return operator new(size, none);
}
void operator delete(void* p) noexcept { give(p); }
void operator delete[](void* p) noexcept { give(p); }
void operator delete(void* p, std::size_t size) noexcept { give(p, size); }
void operator delete[](void* p, std::size_t size) noexcept { give(p, size); }
void operator delete(void* p, const std::nothrow_t&) noexcept { give(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { give(p); }

#endif
