#include "tests/faults/failing_malloc.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {
std::atomic<long> left{0};  // until one fails; not positive: none does

bool fails() {
  if (left.load() <= 0 || --left != 0) return false;
  errno = ENOMEM;
  return true;
}
}  // namespace

namespace nvm::testing {
void fail_allocation(long at) { left = at; }
bool failed() { return left.exchange(0) <= 0; }
}  // namespace nvm::testing

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): glibc's own
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
// NOLINTEND(bugprone-reserved-identifier)
void* malloc(std::size_t n) { return fails() ? nullptr : __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t size) { return fails() ? nullptr : __libc_calloc(n, size); }
void* realloc(void* p, std::size_t n) { return fails() ? nullptr : __libc_realloc(p, n); }
}
