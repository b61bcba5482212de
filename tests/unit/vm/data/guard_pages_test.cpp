#include "vm/data/guard_pages.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <functional>

#include "vm/data/pages.h"

namespace nvm::vm {
namespace {

// Does it end the process by a signal? Tried in a child.
bool dies(const std::function<void()>& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int s : {SIGSEGV, SIGBUS, SIGABRT}) ::signal(s, SIG_DFL);
    static_cast<void>(!std::freopen("/dev/null", "w", stderr));
    f();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

TEST_CASE("who goes beyond the memory of a guarded block is caught") {
  for (const std::size_t bytes : {0UL, 1UL, 63UL, 64UL, 1000UL, 3904UL, 3968UL, 4096UL, 100'000UL}) {
    const auto with = [bytes](const std::function<void(volatile std::byte*)>& touch) {
      Buffer* b = map_guarded(bytes);
      touch(b->bytes);
      unmap_guarded(b);
    };
    const std::size_t capacity = (bytes + 63) / 64 * 64;
    CHECK_FALSE(dies([&] {
      with([&](volatile std::byte* p) {
        for (std::size_t i = 0; i < bytes; ++i) p[i] = std::byte{1};
        static_cast<void>(p[capacity + 63]);  // which is padding
      });
    }));
    CHECK(dies([&] { with([&](volatile std::byte* p) { static_cast<void>(p[capacity + 64]); }); }));
    CHECK(dies([&] { with([&](volatile std::byte* p) { p[bytes] = std::byte{1}; }); }));
    CHECK(dies([&] { with([&](volatile std::byte* p) { p[capacity + 63] = std::byte{1}; }); }));
    CHECK(dies([&] {
      with([&](volatile std::byte* p) {
        const auto header = reinterpret_cast<std::uintptr_t>(p) - 64 - sizeof(std::size_t);
        static_cast<void>(*(p - (reinterpret_cast<std::uintptr_t>(p) - header / kPage * kPage) - 1));
      });
    }));
  }
}

}  // namespace
}  // namespace nvm::vm
