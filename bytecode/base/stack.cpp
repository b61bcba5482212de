#include "bytecode/base/stack.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>

namespace nvm {

constinit thread_local std::uintptr_t stack_end = UINTPTR_MAX;

namespace {

// For what a level calls that asks no more, and for those who handle the exception.
constexpr std::size_t kReserve = 256 * 1024;

std::uintptr_t find_stack_end() {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(lowest) + std::min(kReserve, size / 2);
}

}  // namespace

void check_stack_end(std::uintptr_t here) {
  if (stack_end == UINTPTR_MAX) stack_end = find_stack_end();
  if (here < stack_end) throw TooDeep{};
}

}  // namespace nvm
