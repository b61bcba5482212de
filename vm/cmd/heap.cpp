// The command counts its heap, so that --memory is about all of it (bytecode/base/budget.h). The library
// leaves operator new to its host.
#include <malloc.h>

#include <cstdlib>
#include <new>

#include "bytecode/base/budget.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

constexpr std::ptrdiff_t kBatch = 64 << 10;
[[maybe_unused]] const bool counts = (nvm::heap_counted.store(true), true);

// Bytes that are not in nvm::heap_bytes yet.
constinit thread_local std::ptrdiff_t t_bytes = 0;

[[gnu::noinline]] void hand_over() {
  nvm::heap_bytes.fetch_add(t_bytes, std::memory_order_relaxed);
  t_bytes = 0;
}

void* take(std::size_t size) {
  if (t_bytes + static_cast<std::ptrdiff_t>(size) >= kBatch) [[unlikely]] {
    hand_over();
    nvm::Budget::before_heap_grows(size);
  }
  for (;;) {
    if (void* p = std::malloc(size == 0 ? 1 : size)) {
      t_bytes += static_cast<std::ptrdiff_t>(::malloc_usable_size(p));
      return p;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void give(void* p) noexcept {
  if (p == nullptr) return;
  t_bytes -= static_cast<std::ptrdiff_t>(::malloc_usable_size(p));
  std::free(p);
  if (t_bytes <= -kBatch) [[unlikely]]
    hand_over();
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
void operator delete(void* p, std::size_t) noexcept { give(p); }
void operator delete[](void* p, std::size_t) noexcept { give(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { give(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { give(p); }

#endif
