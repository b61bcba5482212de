#include "vm/data/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "bytecode/base/check.h"

namespace nvm::vm {

namespace {

constexpr int kMoves = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;

}  // namespace

std::byte* map_memory(std::size_t size) {
  const bool huge = size >= kHugePage;
  const std::size_t slack = huge ? kHugePage : 0;
  void* raw =
      mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto* p = static_cast<std::byte*>(raw);
  if (huge) {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    const std::size_t skip = (kHugePage - address % kHugePage) % kHugePage;
    if (skip != 0) munmap(p, skip);
    if (skip != slack) munmap(p + skip + size, slack - skip);
    p += skip;
    madvise(p, size, MADV_HUGEPAGE);
  }
  return p;
}

std::size_t physical_bytes() {
  static const std::size_t bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

bool can_move_pages() {
  static const bool answer = [] {  // asked of two pages of our own
    void* p = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    auto* from = static_cast<volatile char*>(p);
    volatile char* to = from + kPage;
    *from = 1;
    const bool moved = mremap(p, kPage, kPage, kMoves, static_cast<char*>(p) + kPage) != MAP_FAILED &&
                       *to == 1 && *from == 0;
    munmap(p, 2 * kPage);
    return moved;
  }();
  return answer;
}

bool move_pages(std::byte* from, std::byte* to, std::size_t size) {
  if (mremap(from, size, size, kMoves, to) != MAP_FAILED) return true;
  // The system may have unmapped `to` before it found out.
  constexpr int kAgain = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  const void* again = mmap(to, size, PROT_READ | PROT_WRITE, kAgain, -1, 0);
  NVM_CHECK(again == to || errno == EEXIST, "addresses of the pool stay its own");
  if (again == to && size >= kHugePage) madvise(to, size, MADV_HUGEPAGE);
  return false;
}

void renew_pages(std::byte* p, std::size_t size) {
  constexpr int kInPlace = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  const void* again = mmap(p, size, PROT_READ | PROT_WRITE, kInPlace, -1, 0);
  NVM_CHECK(again == p, "addresses of the pool stay its own");
  madvise(p, size, MADV_HUGEPAGE);
}

}  // namespace nvm::vm
