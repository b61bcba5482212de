#include "bytecode/base/stack.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace nvm {

constinit thread_local std::uintptr_t stack_end = UINTPTR_MAX;

namespace {

// For what a level calls that asks no more, and for those who handle the exception.
constexpr std::size_t kReserve = 256 * 1024;

// Linux keeps at least twice this free below the stack that a process starts with, whatever is mapped.
constexpr std::size_t kKeptFree = std::size_t{64} << 20;

struct Stack {
  std::uintptr_t lowest = 0;
  std::size_t size = 0;  // 0: not known
};

// The stack that the process started with, if `here` is on it and its limit is an ordinary one. The name of
// the program is the first that stands on it. The C library would read the list of all mappings instead.
Stack first_stack(std::uintptr_t here) {
  const std::uintptr_t top = getauxval(AT_EXECFN);
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > kKeptFree) return {};
  if (here >= top || top - here >= limit.rlim_cur) return {};
  return {top - limit.rlim_cur, limit.rlim_cur};
}

Stack stack_of_thread() {
  pthread_attr_t attributes;
  void* lowest = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<std::uintptr_t>(lowest), size};
}

std::uintptr_t find_stack_end(std::uintptr_t here) {
  Stack stack = getpid() == gettid() ? first_stack(here) : Stack{};
  if (stack.size == 0) stack = stack_of_thread();
  return stack.lowest + std::min(kReserve, stack.size / 2);
}

}  // namespace

void check_stack_end(std::uintptr_t here) {
  if (stack_end == UINTPTR_MAX) stack_end = find_stack_end(here);
  if (here < stack_end) throw TooDeep{};
}

}  // namespace nvm
