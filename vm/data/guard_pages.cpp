//   mapping = page without access | size of the elements, free space | header | elements | padding | page
//             without access
// The elements are a multiple of 64 bytes, so what lies behind the last one is padding, too.
#include "vm/data/guard_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "bytecode/base/check.h"
#include "vm/data/pages.h"

namespace nvm::vm {

namespace {

constexpr std::size_t kHeader = 64;
constexpr std::size_t kPadding = 64;
constexpr std::byte kUntouched{0xA5};

std::size_t accessible(std::size_t capacity) {
  return (sizeof(std::size_t) + kHeader + capacity + kPadding + kPage - 1) / kPage * kPage;
}

// Of the free space that begins with the size.
std::byte* begin_of(Buffer* b) {
  const auto before = reinterpret_cast<std::uintptr_t>(b) - sizeof(std::size_t);
  return reinterpret_cast<std::byte*>(before / kPage * kPage);
}

}  // namespace

bool wants_guard_pages() {
  static const bool wanted = std::getenv("NVM_GUARD_PAGES") != nullptr;
  return wanted;
}

Buffer* map_guarded(std::size_t bytes) {
  const std::size_t capacity = (bytes + 63) & ~std::size_t{63};
  const std::size_t size = accessible(capacity);
  void* base = mmap(nullptr, size + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  std::byte* begin = static_cast<std::byte*>(base) + kPage;
  if (mprotect(begin, size, PROT_READ | PROT_WRITE) != 0) {
    munmap(base, size + 2 * kPage);
    return nullptr;
  }
  std::memcpy(begin, &bytes, sizeof bytes);
  std::byte* header = begin + size - kPadding - capacity - kHeader;
  auto* b = new (header) Buffer;
  b->bytes = header + kHeader;
  b->capacity = capacity;
  std::fill(b->bytes + bytes, b->bytes + capacity + kPadding, kUntouched);
  return b;
}

void unmap_guarded(Buffer* b) {
  std::byte* begin = begin_of(b);
  std::size_t bytes = 0;
  std::memcpy(&bytes, begin, sizeof bytes);
  const std::byte* end = b->bytes + b->capacity + kPadding;
  NVM_CHECK(std::all_of(static_cast<const std::byte*>(b->bytes) + bytes, end,
                        [](std::byte x) { return x == kUntouched; }),
            "nobody writes behind the last element");
  munmap(begin - kPage, accessible(b->capacity) + 2 * kPage);
}

}  // namespace nvm::vm
